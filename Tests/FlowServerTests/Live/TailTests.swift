import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("TAIL")
struct TailTests {
  /// Sends `value` to the subject prices until its one reader has it.
  private func sendUntilRead(_ value: String, by publisher: TestClient) throws {
    try Patience.wait(for: "a reader of prices") {
      try publisher.ask("SEND prices \(value)") == "OK send prices to=1 missed=0"
    }
  }

  @Test("gives payloads and nothing else, and closes when the publisher is done")
  func payloads() throws {
    let server = try TestServer()
    let tail = try server.connect()
    let publisher = try server.connect()
    _ = try publisher.ask("SUBJECT prices replay 3")
    _ = try publisher.ask("SEND prices 1")
    try tail.say("TAIL prices", "PING ignored", "= 1 ignored")
    #expect(try tail.line() == "1")
    _ = try publisher.ask("SEND prices ")
    _ = try publisher.ask("PUB prices as=5")
    try publisher.send(Array(": 5 3\na\nb\n".utf8))
    _ = try publisher.line()
    #expect(try tail.lines(3) == ["", "a", "b"])
    #expect(
      try publisher.ask("LIST streams")
        == "* stream client=1 id=1 name=prices demand=max values=3 missed=0"
    )
    _ = try publisher.lines(2)
    _ = try publisher.ask("DONE prices")
    #expect(try tail.rest() == [])
  }

  @Test("gets what comes in batches as others do, behind no prefix")
  func batches() throws {
    let server = try TestServer()
    let publisher = try server.connect()
    _ = try publisher.ask("SUBJECT log")
    let tails = try [server.connect(), server.connect()]
    for tail in tails { try tail.say("TAIL log") }
    let reader = try server.connect()
    _ = try reader.ask("HELLO 1")
    _ = try reader.ask("SUB log 30000")
    try Patience.wait(for: "three readers of log") {
      try publisher.ask("SEND log 0") == "OK send log to=3 missed=0"
    }
    let lines = (1...RandomCases.count(20_000)).map(String.init)
    try publisher.send(Array("FEED log\n\(lines.joined(separator: "\n"))\n.\nPING\n".utf8))
    #expect(
      try publisher.lines(3)
        == [
          "# feeding log; end with a line that is a single .",
          "OK feed log sent=\(lines.count) missed=0 refused=0", "PONG",
        ]
    )
    _ = try publisher.ask("DONE log")
    for tail in tails { #expect(try tail.rest().drop { $0 == "0" } == lines[...]) }
    let read = try reader.rest(until: "DONE 1").dropLast().drop { $0 == "= 1 0" }
    #expect(read == lines.map { "= 1 \($0)" }[...])
  }

  @Test("takes an inline pipeline, and closes without a word when that fails")
  func failure() throws {
    let server = try TestServer()
    let tail = try server.connect()
    let publisher = try server.connect()
    _ = try publisher.ask("SUBJECT prices")
    try tail.say(
      "TAIL prices.map { $0 * 10 }.tryMap { if $0 > 10 { fail(\"high\") } else { $0 } }"
    )
    try sendUntilRead("1", by: publisher)
    #expect(try tail.line() == "10")
    _ = try publisher.ask("SEND prices 2")
    #expect(try tail.rest() == [])
  }

  @Test("a completed subject gives what it keeps, then closes")
  func completed() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT log replay 2")
    for value in 1...3 { _ = try client.ask("SEND log \(value)") }
    _ = try client.ask("FAIL log broken it broke")
    let tail = try server.connect()
    try tail.say("TAIL log")
    #expect(try tail.rest() == ["2", "3"])
  }

  @Test("goes on after the end of input until the publisher ends")
  func endOfInput() throws {
    let server = try TestServer()
    let tail = try server.connect()
    let publisher = try server.connect()
    _ = try publisher.ask("SUBJECT prices")
    try tail.say("TAIL prices")
    tail.endInput()
    try sendUntilRead("1", by: publisher)
    #expect(try tail.line() == "1")
    server.advance(seconds: 100)
    _ = try publisher.ask("SEND prices 2")
    #expect(try tail.line() == "2")
    server.server.stop(drain: 30) {}
    #expect(try tail.rest() == [])
  }

  @Test(
    "is refused with an ERR, after which the connection closes",
    arguments: [
      ("TAIL nosuch", "ERR unknown-name "), ("@t tail", "@t ERR usage "),
      ("TAIL prices max", "ERR usage "), ("TAIL prices.fliter { $0 }", "ERR syntax "),
      ("SUB prices max\nTAIL prices", "ERR usage TAIL needs a connection of its own"),
    ]
  )
  func refusals(_ lines: String, _ start: String) throws {
    let server = try TestServer()
    let other = try server.connect()
    _ = try other.ask("SUBJECT prices")
    let client = try server.connect()
    try client.say(lines, "PING")
    let rest = try client.rest()
    #expect(rest.contains { $0.hasPrefix(start) }, "\(rest)")
    #expect(!rest.contains("PONG"))
  }

  @Test("a refusal waits for the answers before it")
  func refusalBehindSend() throws {
    let server = try TestServer()
    let client = try server.connect()
    let other = try server.connect()
    _ = try client.ask("SUBJECT strict flow=slowest")
    try client.say("SEND strict 1", "TAIL strict")
    try other.waitUntil(1, waitAt: "strict")
    server.advance(seconds: 5)
    let rest = try client.rest()
    #expect(rest.map { $0.prefix(9) } == ["ERR no-de", "ERR usage"])
  }

  @Test("a reader that does not read misses on a plain subject what a window does not hold")
  func slowReader() throws {
    let server = try TestServer()
    let tail = try server.connect()
    let publisher = try server.connect()
    _ = try publisher.ask("SUBJECT prices")
    try tail.say("TAIL prices")
    let value = String(repeating: "v", count: 10_000)
    try sendUntilRead(value, by: publisher)
    var sent = 0
    try Patience.wait(for: "a SEND that misses the reader") {
      sent += 1
      return try publisher.ask("SEND prices \(value)") != "OK send prices to=1 missed=0"
    }
    try publisher.say("LIST clients")
    let unsent = try publisher.lines(3)[0].split(separator: " ")
      .first { $0.hasPrefix("unsent=") }.flatMap { Int($0.dropFirst(7)) }
    // The window is for 1 KiB a value until one was seen, and may be exceeded once.
    #expect(try #require(unsent) <= 256 * 10_001)
    #expect(
      try publisher.ask("LIST streams")
        == "* stream client=1 id=1 name=prices demand=max values=\(sent) missed=1"
    )
    _ = try publisher.line()
    _ = try publisher.ask("DONE prices")
    #expect(try tail.rest() == Array(repeating: value, count: sent))
  }

  @Test("has an id that there can be, even when the highest was used")
  func highestID() throws {
    let server = try TestServer()
    let client = try server.connect()
    let other = try server.connect()
    _ = try other.ask("SUBJECT prices current 1")
    _ = try client.ask("SUB prices 1 as=9007199254740992")
    _ = try client.line()
    _ = try client.ask("CANCEL prices")
    #expect(try client.ask("TAIL prices") == "1")
    #expect(try other.ask("LIST streams").contains(" id=9007199254740992 name=prices "))
  }
}
