import FlowLanguage
import FlowServer
import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("flowclient bench as a process", .serialized)
struct BenchProcessTests {
  private let address: String

  init() throws {
    address = try TestServer.start("SUBJECT load flow=slowest\nSUBJECT taps\n").address
  }

  private func start(_ arguments: String...) throws -> RunningProgram {
    try RunningProgram("flowclient", ["-s", address, "bench"] + arguments)
  }

  private func run(_ arguments: String...) throws -> RunningProgram.Outcome {
    try RunningProgram("flowclient", ["-s", address, "bench"] + arguments).finish()
  }

  private func subjects() throws -> [String] {
    let list = try RunningProgram("flowclient", ["-s", address, "list", "subjects"]).finish()
    return list.output.split(separator: "\n").map { String($0.split(separator: " ")[1]) }.sorted()
  }

  private func waitForStreams(_ count: Int) throws {
    try Patience.wait(for: "\(count) streams") {
      try RunningProgram("flowclient", ["-s", address, "list", "streams"]).finish().output
        .split(separator: "\n").count >= count
    }
  }

  @Test("e2e loses nothing, says so, and leaves no subject behind", arguments: ["16", "5000"])
  func endToEnd(_ size: String) throws {
    let result = try run("e2e", "--values", "2000", "--subscribers", "3", "--size", size)
    #expect(result.status == 0)
    #expect(result.remarks == "")
    #expect(result.output.contains("\nlost 0 duplicated 0 reordered 0\n"))
    #expect(result.output.contains("sent      2,000 values in "))
    #expect(result.output.contains("received  6,000 values in "))
    #expect(!result.output.contains("\u{1b}"))
    #expect(try subjects() == ["load", "taps"])
  }

  @Test("many clients on one subject, at a rate, with a small window and slow readers")
  func many() throws {
    let result = try run(
      "e2e",
      "--clients",
      "5",
      "--subscribers",
      "20",
      "--values",
      "40",
      "--rate",
      "2k/s",
      "--demand",
      "3",
      "--slow",
      "2",
      "--delay",
      "1ms",
      "--json"
    )
    #expect(result.status == 0)
    let report = try FlatJSON(result.output)
    #expect(report["sent"] == "200")
    #expect(report["received"] == "4000")
    for name in ["lost", "duplicated", "reordered", "missed", "foreign"] {
      #expect(report[name] == "0", "\(name)")
    }
    #expect(report["ok"] == "true")
  }

  @Test("fanout gives every value to each")
  func fanout() throws {
    let report = try FlatJSON(run("fanout", "--values", "100", "--json").output)
    #expect(report["received"] == "1000")
    #expect(report["subscribers"] == "10")
  }

  @Test("a reader that lags on a free subject loses values: exit 1")
  func lost() throws {
    let result = try run(
      "e2e",
      "--flow",
      "free",
      "--values",
      "5000",
      "--slow",
      "1",
      "--delay",
      "20ms",
      "--json"
    )
    #expect(result.status == 1)
    let report = try FlatJSON(result.output)
    let lost = try #require(report["lost"].flatMap { Int($0) })
    #expect(lost > 0)
    #expect(report["missed"] == String(lost))
    #expect(report["ok"] == "false")
    #expect(result.remarks.hasSuffix("were lost\n"))
  }

  @Test("a threshold that is missed is exit 1, one that is reached is 0")
  func thresholds() throws {
    let tooSlow = try run("e2e", "--values", "100", "--max-p99", "10us")
    #expect(tooSlow.status == 1)
    #expect(tooSlow.remarks.contains("above 10.0 µs (--max-p99)"))
    let tooFew = try run("e2e", "--values", "100", "--rate", "1000", "--min-rate", "1M/s")
    #expect(tooFew.status == 1)
    #expect(tooFew.remarks.contains("below 1,000,000/s (--min-rate)"))
    let reached = try run("e2e", "--values", "100", "--max-p99", "1m", "--min-rate", "1/s")
    #expect(reached.status == 0)
  }

  @Test("sub and pub meet at a subject that is there, and leave it there")
  func apart() throws {
    let sub = try start("sub", "--subject", "load", "--values", "3000", "--clients", "2", "--json")
    try waitForStreams(2)
    let pub = try run("pub", "--subject", "load", "--values", "1500", "--clients", "2", "--csv")
    #expect(pub.status == 0)
    let result = sub.waitForEnd()
    let report = try FlatJSON(result.output)
    #expect(report["received"] == "6000")
    #expect(report["lost"] == "0")
    #expect(result.status == 0)
    #expect(try subjects() == ["load", "taps"])
  }

  @Test("pub measures what the server takes, with nobody there")
  func pub() throws {
    let result = try run("pub", "--values", "1000", "--clients", "3")
    #expect(result.status == 0)
    #expect(result.output.contains("sent      3,000 values in "))
  }

  @Test("nobody who asks for values is exit 1")
  func nobody() throws {
    let result = try run("pub", "--subject", "load", "--for", "50ms")
    #expect(result.status == 1)
    #expect(result.remarks.contains("nothing was sent: nobody requested values"))
  }

  @Test("a name that is not there is exit 1, and says so")
  func unknown() throws {
    let result = try run("sub", "--subject", "laod", "--clients", "3")
    #expect(result.status == 1)
    #expect(result.remarks.contains("unknown-name unknown name \"laod\"; did you mean load?"))
    #expect(result.output == "")
  }

  @Test("--timeout ends what does not end, with 124")
  func timeout() throws {
    let result = try run("sub", "--subject", "taps", "--timeout", "300ms")
    #expect(result.status == 124)
    #expect(result.remarks == "flowclient: timed out\n")
  }

  @Test("SIGINT ends it with the report, the subject is deleted, and it ends as the signal does")
  func interrupt() throws {
    let bench = try start("e2e", "--for", "60s", "--rate", "100/s")
    try Patience.wait(for: "the subject of the bench") { try subjects().count == 3 }
    bench.kill(2)
    let result = bench.waitForEnd()
    #expect(result.status == 128 + 2)
    #expect(try subjects() == ["load", "taps"])
  }

  @Test("a server that goes away in the middle: what was measured, and exit 69")
  func serverGone() async throws {
    let (server, address) = try TestServer.start("SUBJECT load")
    let bench = try RunningProgram(
      "flowclient",
      ["-s", address, "bench", "sub", "--subject", "load", "--for", "60s", "-v"]
    )
    // It has begun as soon as a value has found it.
    try await Patience.suspend(for: "a subscription of load") {
      try RunningProgram("flowclient", ["-s", address, "-v", "send", "load", "1"])
        .finish().remarks.contains("to=1")
    }
    try await TestServer.kill(server)
    let result = bench.waitForEnd()
    #expect(result.status == 69)
    #expect(result.output.contains("\n1 value from other senders\n"))
    #expect(result.remarks.contains("flowclient: connection "))
  }

  @Test("nobody there is exit 69")
  func unreachable() throws {
    let result = try RunningProgram("flowclient", ["-s", "unix:/nonexistent/s", "bench", "e2e"])
      .finish()
    #expect(result.status == 69)
    #expect(result.remarks.hasPrefix("flowclient: cannot reach unix:/nonexistent/s: "))
  }
}

/// An object without objects in it, whose members are told as they are written.
private struct FlatJSON {
  struct Unreadable: Error {
    let text: String
  }

  private let text: String

  init(_ text: String) throws {
    var bytes: [UInt8] = []
    Array(text.utf8).withUnsafeBytes { JSONText.append($0, to: &bytes) }
    // What is no JSON comes back as a string.
    guard bytes.first == UInt8(ascii: "{") else { throw Unreadable(text: text) }
    self.text = text
  }

  subscript(name: String) -> String? {
    let pattern = "\"\(name)\":"
    guard let start = text.firstRange(of: pattern)?.upperBound else { return nil }
    return String(text[start...].prefix { $0 != "," && $0 != "}" })
  }
}
