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

  @Test("e2e loses nothing with many clients, a rate, a small window and slow readers")
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

  @Test("fanout delivers every value to each subscriber")
  func fanout() throws {
    let report = try FlatJSON(run("fanout", "--values", "100", "--json").output)
    #expect(report["received"] == "1000")
    #expect(report["subscribers"] == "10")
  }

  @Test("a slow reader of a free subject loses values: exit 1")
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

  @Test("a missed threshold is exit 1, a reached one is 0")
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

  @Test("sub and pub use an existing subject, and keep it")
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

  @Test("pub measures how fast the server takes values without subscribers")
  func pub() throws {
    let result = try run("pub", "--values", "1000", "--clients", "3")
    #expect(result.status == 0)
    #expect(result.output.contains("sent      3,000 values in "))
  }

  @Test("pub without demand is exit 1")
  func nobody() throws {
    let result = try run("pub", "--subject", "load", "--for", "50ms")
    #expect(result.status == 1)
    #expect(result.remarks.contains("nothing was sent: nobody requested values"))
  }

  @Test("an unknown name is exit 1, with a suggestion")
  func unknown() throws {
    let result = try run("sub", "--subject", "laod", "--clients", "3")
    #expect(result.status == 1)
    #expect(result.remarks.contains("unknown-name unknown name \"laod\"; did you mean load?"))
    #expect(result.output == "")
  }

  @Test("--timeout ends it with 124")
  func timeout() throws {
    let result = try run("sub", "--subject", "taps", "--timeout", "300ms")
    #expect(result.status == 124)
    #expect(result.remarks == "flowclient: timed out\n")
  }

  @Test("SIGINT deletes the subject, and ends it by the signal")
  func interrupt() throws {
    let bench = try start("e2e", "--for", "60s", "--rate", "100/s")
    try Patience.wait(for: "the subject of the bench") { try subjects().count == 3 }
    bench.kill(2)
    let result = bench.waitForEnd()
    #expect(result.status == 128 + 2)
    #expect(try subjects() == ["load", "taps"])
  }

  @Test("a lost server is exit 69, with the report so far")
  func serverGone() async throws {
    let (server, address) = try TestServer.start("SUBJECT load")
    let bench = try RunningProgram(
      "flowclient",
      ["-s", address, "bench", "sub", "--subject", "load", "--for", "60s", "-v"]
    )
    // The bench has begun when a value reaches it.
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

  @Test("no server is exit 69")
  func unreachable() throws {
    let result = try RunningProgram("flowclient", ["-s", "unix:/nonexistent/s", "bench", "e2e"])
      .finish()
    #expect(result.status == 69)
    #expect(result.remarks.hasPrefix("flowclient: cannot reach unix:/nonexistent/s: "))
  }
}

/// A flat JSON object; its subscript returns the text of a member.
private struct FlatJSON {
  struct Unreadable: Error {
    let text: String
  }

  private let text: String

  init(_ text: String) throws {
    var bytes: [UInt8] = []
    Array(text.utf8).withUnsafeBytes { JSONText.append($0, to: &bytes) }
    // `JSONText` returns text that is no JSON as a string.
    guard bytes.first == UInt8(ascii: "{") else { throw Unreadable(text: text) }
    self.text = text
  }

  subscript(name: String) -> String? {
    let pattern = "\"\(name)\":"
    guard let start = text.firstRange(of: pattern)?.upperBound else { return nil }
    return String(text[start...].prefix { $0 != "," && $0 != "}" })
  }
}
