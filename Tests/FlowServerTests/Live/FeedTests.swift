import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("FEED")
struct FeedTests {
  @Test("makes a value of every line until a lone dot, then takes commands again")
  func lines() throws {
    let server = try TestServer()
    let reader = try server.connect()
    let feeder = try server.connect()
    _ = try reader.ask("HELLO 1")
    _ = try reader.ask("SUBJECT log")
    _ = try reader.ask("SUB log max")
    try feeder.say("FEED log", "a", "", "# b", "QUIT now", "= 1 x", "..", " .", "@t PING", ".")
    try feeder.say("PING after")
    #expect(
      try feeder.lines(3) == [
        "# feeding log; end with a line that is a single .",
        "OK feed log sent=8 missed=0 refused=0", "PONG after",
      ]
    )
    #expect(
      try reader.lines(8) == [
        "= 1 a", "= 1 ", "= 1 # b", "= 1 QUIT now", "= 1 = 1 x", "= 1 ..", "= 1  .", "= 1 @t PING",
      ]
    )
  }

  @Test("counts on a plain subject what subscriptions without demand miss")
  func misses() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUBJECT log")
    _ = try client.ask("SUB log 1")
    _ = try client.ask("SUB log")
    try client.say("FEED log", "a", "b", ".")
    #expect(try client.lines(2) == ["= 1 a", "OK feed log sent=2 missed=3 refused=0"])
  }

  @Test("waits on a lossless subject, and goes on in the turn in which there is room")
  func waits() throws {
    let server = try TestServer()
    let reader = try server.connect()
    let feeder = try server.connect()
    _ = try reader.ask("HELLO 1")
    _ = try reader.ask("SUBJECT log flow=slowest")
    _ = try reader.ask("SUB log 1")
    try feeder.say("FEED log", "1", "2", "3", "4", ".")
    #expect(try feeder.line() == "# feeding log; end with a line that is a single .")
    #expect(try reader.line() == "= 1 1")
    #expect(
      try rows("streams", reader).last
        == "* feed client=2 name=log sent=1 missed=0 refused=0 waiting=1"
    )
    #expect(try subjectRow("log", reader).hasSuffix(" missed=0 waiting=1"))
    try reader.say("REQ 1 2", "PING")
    // The answer stands behind the values: they went out before the turn was over.
    #expect(Set(try reader.lines(3)) == ["= 1 2", "= 1 3", "PONG"])
    try reader.say("REQ 1 max")
    #expect(try reader.line() == "= 1 4")
    #expect(try feeder.line() == "OK feed log sent=4 missed=0 refused=0")
  }

  @Test("loses nothing of a long feed to a reader that asks for a few at a time")
  func lossless() throws {
    let server = try TestServer()
    let reader = try server.connect()
    let feeder = try server.connect()
    _ = try reader.ask("HELLO 1")
    _ = try reader.ask("SUBJECT log flow=slowest")
    _ = try reader.ask("SUB log.map { $0 }")
    let all = RandomCases.count(20_000)
    let lines = (1...all).map { "\($0)\n" }.joined()
    try feeder.send(Array("FEED log\n\(lines)".utf8))
    feeder.endInput()
    var next = 1
    while next <= all {
      let count = min(1 + next % 300, all + 1 - next)
      try reader.say("REQ 1 \(count)")
      for _ in 0..<count {
        #expect(try reader.line() == "= 1 \(next)")
        next += 1
      }
    }
    #expect(
      try feeder.rest() == [
        "# feeding log; end with a line that is a single .",
        "OK feed log sent=\(all) missed=0 refused=0",
      ]
    )
  }

  @Test("refuses a line that is too long for a value, and takes the others")
  func longLine() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUBJECT log")
    let most = String(repeating: "x", count: 1 << 20)
    try client.say("FEED log", most, most + "x", "b", ".")
    #expect(try client.line() == "OK feed log sent=2 missed=0 refused=1 why=value-too-long")
  }

  @Test("takes to the end what a subject that completes or is deleted does not want")
  func subjectEnds() throws {
    let server = try TestServer()
    let other = try server.connect()
    let feeder = try server.connect()
    _ = try feeder.ask("HELLO 1")
    _ = try other.ask("SUBJECT log")
    _ = try other.ask("SUBJECT strict flow=slowest")
    try feeder.say("FEED log", "a")
    try Patience.wait(for: "a value of log") {
      try subjectRow("log", other).contains(" published=1 ")
    }
    _ = try other.ask("DONE log")
    try feeder.say("b", "c", ".")
    #expect(try feeder.line() == "OK feed log sent=1 missed=0 refused=2 why=completed")
    try feeder.say("FEED strict", "a", "b", ".", "PING")
    try other.waitUntil(1, waitAt: "strict")
    _ = try other.ask("DELETE strict")
    #expect(
      try feeder.lines(2) == ["OK feed strict sent=0 missed=0 refused=2 why=deleted", "PONG"]
    )
  }

  @Test("a last line without an end is a value, and the end of input ends the feed")
  func endOfInput() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT log replay 9")
    try client.send(Array("FEED log\na\nb".utf8))
    client.endInput()
    #expect(
      try client.rest() == [
        "# feeding log; end with a line that is a single .",
        "OK feed log sent=2 missed=0 refused=0",
      ]
    )
    let reader = try server.connect()
    try reader.say("TAKE log 2")
    #expect(try reader.lines(4) == ["OK take 1 log demand=2", "= 1 a", "= 1 b", "DONE 1"])
  }

  @Test("at the end of input the last line still waits for room", arguments: ["", "HELLO 1\n"])
  func endOfInputWaits(_ mode: String) throws {
    let server = try TestServer()
    let reader = try server.connect()
    let feeder = try server.connect()
    _ = try reader.ask("HELLO 1")
    _ = try reader.ask("SUBJECT log flow=slowest")
    _ = try reader.ask("SUB log 1")
    try feeder.send(Array("\(mode)@f FEED log\na\nb".utf8))
    feeder.endInput()
    #expect(try reader.line() == "= 1 a")
    try reader.say("REQ 1 1")
    #expect(try reader.line() == "= 1 b")
    #expect(try feeder.rest().last == "@f OK feed log sent=2 missed=0 refused=0")
  }

  @Test("a feeder that is lost in the middle leaves the line that waits, and nothing else")
  func lost() throws {
    let server = try TestServer()
    let reader = try server.connect()
    let feeder = try server.connect()
    _ = try reader.ask("HELLO 1")
    _ = try reader.ask("SUBJECT log flow=slowest")
    try feeder.say("FEED log", "a")
    try reader.waitUntil(1, waitAt: "log")
    feeder.reset()
    _ = try reader.ask("SUB log max")
    #expect(try reader.line() == "= 1 a")
    try Patience.wait(for: "a value of log") {
      try subjectRow("log", reader).contains(" published=1 ")
    }
    #expect(try subjectRow("log", reader).hasSuffix(" waiting=0"))
    try Patience.wait(for: "the end of the feed") { try rows("streams", reader).count == 1 }
  }

  @Test("feeds, publications and SENDs take turns when there is little room")
  func turns() throws {
    let server = try TestServer()
    let reader = try server.connect()
    _ = try reader.ask("HELLO 1")
    _ = try reader.ask("SUBJECT log flow=slowest")
    let feeders = try [server.connect(), server.connect()]
    for (number, feeder) in feeders.enumerated() {
      try feeder.send(Array(("FEED log\n" + String(repeating: "f\(number)\n", count: 30)).utf8))
    }
    let publisher = try server.connect()
    _ = try publisher.ask("PUB log")
    for _ in 0..<30 { _ = try publisher.ask("= 1 p") }
    try reader.waitUntil(32, waitAt: "log")
    _ = try reader.ask("SUB log")
    var counts: [String: Int] = [:]
    for _ in 0..<24 {
      try reader.say("REQ 1 1")
      counts[try reader.line(), default: 0] += 1
    }
    #expect(counts == ["= 1 f0": 6, "= 1 f1": 6, "= 1 p": 12])
  }

  @Test("a publication that sends no more than it is granted has its turns beside a feed")
  func grants() throws {
    let server = try TestServer()
    let reader = try server.connect()
    _ = try reader.ask("HELLO 1")
    _ = try reader.ask("SUBJECT log flow=slowest")
    let feeder = try server.connect()
    try feeder.send(Array(("FEED log\n" + String(repeating: "f\n", count: 60)).utf8))
    try reader.waitUntil(1, waitAt: "log")
    let publisher = try server.connect()
    _ = try publisher.ask("HELLO 1")
    #expect(try publisher.ask("PUB log") == "OK pub 1 log demand=0")
    _ = try reader.ask("SUB log")
    for _ in 0..<5 {
      try reader.say("REQ 1 1")
      #expect(try publisher.line() == "REQ 1 1")
      #expect(try reader.line() == "= 1 f")
      try publisher.say("= 1 p")
      try Patience.wait(for: "a held value") {
        try rows("streams", reader).contains { $0.contains(" held=1") }
      }
      var values: [String] = []
      for _ in 0..<2 where values.last != "= 1 p" {
        try reader.say("REQ 1 1")
        values.append(try reader.line())
      }
      #expect(values.last == "= 1 p")
    }
  }

  @Test("a slowConsumer that holds up a feed fails after the stall")
  func slowConsumer() throws {
    let server = try TestServer()
    let reader = try server.connect()
    _ = try reader.ask("HELLO 1")
    _ = try reader.ask("SUBJECT log flow=slowest stall=10s")
    _ = try reader.ask("SUB log")
    _ = try reader.ask("SUB log max")
    let feeder = try server.connect()
    try feeder.say("FEED log", "a", ".")
    try reader.waitUntil(1, waitAt: "log")
    server.advance(seconds: 11)
    #expect(try reader.line().hasPrefix("FAIL 1 too-slow "))
    #expect(try reader.line() == "= 2 a")
    #expect(try feeder.lines(2).last == "OK feed log sent=1 missed=0 refused=0")
  }

  @Test("a server that stops lets a feed go on, and says what it took when time is up")
  func drain() throws {
    let server = try TestServer()
    let client = try server.connect()
    let second = try server.connect()
    _ = try client.ask("SUBJECT log")
    _ = try client.ask("FEED log")
    _ = try second.ask("SUBJECT strict flow=slowest")
    _ = try second.ask("FEED strict")
    try second.say("a", "b")
    server.server.stop(drain: 30) {}
    #expect(try client.line() == "DRAIN 30")
    #expect(try second.line() == "DRAIN 30")
    try client.say("a", ".")
    #expect(
      try client.rest() == [
        "OK feed log sent=1 missed=0 refused=0", "BYE shutdown the server is shutting down",
      ]
    )
    server.advance(seconds: 31)
    #expect(
      try second.rest() == [
        "OK feed strict sent=0 missed=0 refused=1 why=draining",
        "BYE shutdown the server is shutting down",
      ]
    )
  }

  @Test(
    "is refused at once like a SEND, and its lines are run no more than sent",
    arguments: [
      ("FEED nosuch", "ERR unknown-name "), ("FEED even", "ERR usage "),
      ("FEED $clock", "ERR denied "), ("FEED", "ERR usage name is missing"),
      ("FEED log x", "ERR usage "), ("@t FEED over", "@t ERR completed "),
    ]
  )
  func refusals(_ line: String, _ start: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    let program = try server.connect()
    _ = try client.ask("SUBJECT log")
    _ = try client.ask("SUBJECT over")
    _ = try client.ask("DONE over")
    _ = try client.ask("PIPELINE even = log.filter { $0 % 2 == 0 }")
    let answer = try client.ask(line)
    #expect(answer.hasPrefix(start), "\(answer)")
    #expect(try client.line() == "# its lines are skipped, up to a line that is a single .")
    try client.say("DELETE log", "QUIT now", ".", "PING")
    #expect(try client.lines(2) == ["# lines skipped: 2", "PONG"])
    _ = try program.ask("HELLO 1")
    try program.say(line, "DELETE log", ": x", "FEED log", ".", "LIST subjects")
    #expect(try program.lines(2).map { $0.hasPrefix(start) } == [true, false])
    #expect(try program.lines(2).last == "OK list 2")
  }

  @Test(
    "one that is too long to be read, or comes when nothing is opened, has its lines skipped, too",
    arguments: ["typed", "framed"]
  )
  func refusedUnread(_ mode: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    let other = try server.connect()
    for client in [client, other] {
      _ = try client.ask(mode == "framed" ? "HELLO 1" : "PING")
    }
    _ = try other.ask("SUBJECT log")
    try client.say("@f FEED log \(String(repeating: "x", count: 70_000))", "DELETE log", ".")
    #expect(try client.line().hasPrefix("@f ERR line-too-long "))
    try client.say("SUB log 1", "SUB log")
    let hints = mode == "typed" ? 2 : 0
    #expect(try client.rest { $0.hasPrefix("OK sub 2 ") }.count == hints + 2)
    server.server.stop(drain: 30) {}
    _ = try client.rest { $0 == "DRAIN 30" }
    try client.say("FEED log", "DELETE log", ".", "LIST subjects")
    #expect(try client.line().hasPrefix("ERR draining "))
    #expect(try client.rest { $0 == "OK list 1" }.contains { $0.hasPrefix("* subject log ") })
  }

  @Test("the end of input ends the lines of a refused FEED as well")
  func refusedAtTheEnd() throws {
    let server = try TestServer()
    let client = try server.connect()
    try client.send(Array("FEED nosuch\na\nPING\nb".utf8))
    client.endInput()
    #expect(
      try client.rest() == [
        "ERR unknown-name unknown name \"nosuch\"; LIST lists the names",
        "# its lines are skipped, up to a line that is a single .", "# lines skipped: 2",
      ]
    )
  }

  /// The row of LIST on one subject.
  private func subjectRow(_ name: String, _ client: TestClient) throws -> String {
    try rows("subjects", client).first { $0.hasPrefix("* subject \(name) ") } ?? ""
  }

  private func rows(_ kind: String, _ client: TestClient) throws -> [String] {
    try client.say("LIST \(kind)")
    return try client.rest { $0.hasPrefix("OK list ") }.dropLast()
  }
}
