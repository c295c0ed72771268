import FlowServer
import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("top as a process")
struct TopProcessTests {
  private let address: String

  init() throws {
    (_, address) = try TestServer.start(
      "SUBJECT taps\nPIPELINE even = taps.filter { $0 % 2 == 0 }\n"
    )
  }

  private func top(_ arguments: String...) throws -> RunningProgram.Outcome {
    try RunningProgram("flowclient", ["-s", address, "top"] + arguments).finish()
  }

  @Test("waits for a verdict and prints it as JSON")
  func json() throws {
    let sub = try RunningProgram("flowclient", ["-s", address, "sub", "even"])
    defer { sub.kill(15) }
    var streams = ""
    try Patience.wait(for: "a subscription of even") {
      streams = try RunningProgram("flowclient", ["-s", address, "list", "streams"]).finish().output
      return streams.contains("name=even")
    }
    let all = try top("-b", "-n", "1", "-o", "json")
    #expect(all.status == 0, "\(all.remarks)")
    #expect(all.output.split(separator: "\n").count == 1)
    #expect(
      all.output.contains(#""name":"even","kind":"pipeline","verdict":"quiet""#),
      "\(all.output)"
    )
    let one = try top("even", "-n", "1", "-o", "json")
    #expect(one.output.contains(#""verdict":{"code":"quiet","text":"Quiet: "#), "\(one.output)")
    #expect(one.output.contains(#"{"stage":"taps","op":"subject","starved":"#), "\(one.output)")
    #expect(one.output.contains(#""label":"client "#), "\(one.output)")
    let words = streams.split { $0 == " " || $0 == "\n" }
    func number(_ key: String) -> Substring {
      words.first { $0.hasPrefix("\(key)=") }?.dropFirst(key.count + 1) ?? ""
    }
    let stream = "\(number("client")).\(number("id"))"
    let alone = try top("even", "--stream", stream, "-n", "1", "-o", "json")
    #expect(alone.output.contains(#""stream":"\#(stream)","verdict":{"code":"quiet""#), "\(alone)")
    let gone = try top("even", "--stream", "99.1", "-n", "1", "-b")
    #expect(gone.output.contains("Asleep: stream 99.1 does not run even"), "\(gone)")
  }

  @Test("prints as many tables as requested, without terminal codes")
  func batch() throws {
    let text = try top("-b", "-n", "2", "-d", "200ms")
    #expect(text.status == 0, "\(text.remarks)")
    #expect(!text.output.contains("\u{1b}"))
    #expect(text.output.components(of: "flow ") == 2)
    #expect(text.output.contains("  even"))
    let csv = try top("-n", "2", "-d", "100ms", "-o", "csv", "--filter", "ev")
    let lines = csv.output.split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("at,name,kind,verdict"), "\(csv.output)")
    #expect(lines.dropFirst().allSatisfy { $0.contains(",even,pipeline,asleep,") })
    let stages = try top("even", "-n", "1", "-o", "csv")
    #expect(stages.output.split(separator: "\n").count == 3, "\(stages.output)")
  }

  @Test("continues after a restart of the server")
  func restart() async throws {
    let (server, address) = try TestServer.start("SUBJECT old\n")
    let top = try RunningProgram(
      "flowclient",
      ["-s", address, "top", "-b", "-d", "100ms", "-o", "csv"]
    )
    defer { top.kill(15) }
    #expect(top.waitForOutput(lines: 3).dropFirst().first?.contains(",old,subject,") == true)
    try await TestServer.kill(server)
    #expect(top.waitForRemarks(lines: 1).first?.hasPrefix("lost ") == true)
    _ = try TestServer.start("SUBJECT new\n", on: address)
    try await Patience.suspend(for: "a row of the subject new") {
      top.waitForOutput(lines: 1).contains { $0.contains(",new,") }
    }
  }

  @Test("reports errors like other commands")
  func refusals() throws {
    let unknown = try top("nothing", "-n", "1")
    #expect(unknown.status == 1)
    #expect(unknown.remarks.hasPrefix("flowclient: unknown-name"))
    #expect(try top("a", "b").status == 64)
    #expect(try top("-d", "1ms").status == 64)
    #expect(try top("--sort", "x").status == 64)
    #expect(try top("--stream", "1.1").remarks.contains("--stream needs the NAME that it runs"))
    #expect(try top("even", "--stream", "one").remarks.contains("expected a client and its stream"))
    let subject = try top("taps", "--stream", "1.1", "-n", "1")
    #expect(subject.status == 1 && subject.remarks.contains("stream 1.1 runs no stages of taps"))
    #expect(try top("-o", "raw").status == 64)
    #expect(try top("5x").status == 64)
    let nowhere = try RunningProgram("flowclient", ["-s", "127.0.0.1:1", "top", "-b"]).finish()
    #expect(nowhere.status == 69)
  }
}

extension String {
  fileprivate func components(of start: String) -> Int {
    split(separator: "\n").count { $0.hasPrefix(start) }
  }
}
