import FlowServerSupport
import FlowSubjects
import FlowTestSupport
import Testing

@testable import FlowCore
@testable import FlowServer

@Suite("End of input, QUIT and disconnecting")
struct EndingTests {
  @Test("QUIT finishes bounded work, then closes")
  func quit() throws {
    let server = try TestServer()
    let client = try server.connect()
    let publisher = try server.connect()
    _ = try client.ask("SUBJECT prices")
    try client.say("TAKE prices 2", "SUB prices max", "SUB prices", "QUIT")
    _ = try client.lines(4)
    #expect(try client.line() == "OK quit streams=1 wait=10s")
    _ = try publisher.ask("SEND prices 1")
    _ = try publisher.ask("SEND prices 2")
    #expect(try client.rest() == ["= 1 1", "= 1 2", "DONE 1", "BYE quit bye"])
  }

  /// As many as 256 stages may join of which each takes four.
  private static let subjects = (1...700).map { "s\($0)" }

  /// A pipeline that joins the subjects, four at a time.
  private static func joined(by stage: String) -> String {
    var level = subjects
    while level.count > 1 {
      level = stride(from: 0, to: level.count, by: 4).map { start in
        let group = level[start..<min(start + 4, level.count)]
        let others = group.dropFirst().joined(separator: ", ")
        return others.isEmpty ? level[start] : "\(level[start]).\(stage)(\(others))"
      }
    }
    return level[0]
  }

  private static let pipelines = [
    "s1.merge(with: \(subjects.dropFirst().joined(separator: ", ")))", joined(by: "zip"),
    joined(by: "combineLatest"),
  ]

  private func startWide(_ expression: String) throws -> TestServer {
    let server = try TestServer()
    for name in Self.subjects { try server.prepare("SUBJECT \(name)") }
    try server.prepare("PIPELINE all = \(expression)")
    return server
  }

  @Test(
    "streams on many subjects end in several turns, of which each serves others",
    arguments: pipelines
  )
  func wide(_ expression: String) throws {
    let server = try startWide(expression)
    let (reader, other) = (try server.framed(), try server.framed())
    for id in 1...20 { _ = try reader.ask("SUB all max as=\(id)") }
    for id in 1...10 { #expect(try reader.ask("CANCEL \(id)").hasPrefix("OK cancel \(id) ")) }
    reader.close()
    #expect(try other.ask("PING") == "PONG")
    try server.wait(for: "the end of all subscriptions") { engine in
      engine.registry.subjects.allSatisfy { $0.outletCount == 0 }
    }
    #expect(try other.ask("SEND s1 1") == "OK send s1 to=0 missed=0")
  }

  @Test("streams on many subjects end when one of these is deleted", arguments: pipelines)
  func deletedSource(_ expression: String) throws {
    let server = try startWide(expression)
    let (reader, other) = (try server.framed(), try server.framed())
    for id in 1...20 { _ = try reader.ask("SUB all max as=\(id)") }
    #expect(try other.ask("DELETE s7") == "OK delete s7")
    for id in 1...20 { #expect(try reader.line().hasPrefix("FAIL \(id) deleted ")) }
    try server.wait(for: "the end of all subscriptions") { engine in
      engine.registry.subjects.allSatisfy { $0.outletCount == 0 }
    }
  }

  @Test("connections that come and go leave no timers behind")
  func timers() throws {
    let server = try TestServer()
    for _ in 1...20 {
      let client = try server.connect()
      #expect(try client.ask("QUIT now") == "OK quit")
      _ = try client.rest()
    }
    #expect(server.clock.scheduledCount <= 1)
    let client = try server.connect()
    server.advance(seconds: 600)
    #expect(try client.ask("PING") == "PONG")
    #expect(server.clock.scheduledCount == 1)
  }

  @Test("values that were to come much later leave no timers behind when their stream ends")
  func laterValues() throws {
    let server = try TestServer()
    let (reader, writer) = (try server.connect(), try server.connect())
    _ = try writer.ask("SUBJECT a")
    let before = server.clock.scheduledCount
    _ = try reader.ask("SUB a.flatMap { Just($0).delay(for: 500) } max")
    for number in 1...100 { _ = try writer.ask("SEND a \(number)") }
    #expect(server.clock.scheduledCount >= before + 100)
    #expect(try reader.ask("QUIT now") == "OK quit")
    _ = try reader.rest()
    #expect(try writer.ask("PING") == "PONG")
    #expect(server.clock.scheduledCount <= before)
  }

  @Test("QUIT now closes at once")
  func quitNow() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT prices")
    _ = try client.ask("TAKE prices 2")
    try client.say("QUIT now")
    #expect(try client.rest() == ["OK quit", "BYE quit bye"])
  }

  @Test("a server that stops delivers what was asked for, and still takes commands")
  func drain() throws {
    let server = try TestServer()
    let client = try server.connect()
    let idle = try server.connect()
    _ = try client.ask("SUBJECT prices")
    try client.say("TAKE prices 2", "SUB prices 5", "SUB prices max")
    _ = try client.lines(3)
    server.server.stop(drain: 30) {}
    #expect(try idle.rest() == ["BYE shutdown the server is shutting down"])
    #expect(try client.line() == "DRAIN 30")
    try client.say("SEND prices 1", "SUB prices", "CANCEL 2", "SEND prices 2")
    #expect(
      try client.rest() == [
        "= 1 1", "= 2 1", "OK send prices to=2 missed=0",
        "ERR draining the server is shutting down; nothing new can be opened",
        "OK cancel 2 values=1 missed=0 undelivered=0", "= 1 2", "DONE 1",
        "OK send prices to=1 missed=0", "BYE shutdown the server is shutting down",
      ]
    )
  }

  @Test("typed end of input keeps what was asked for, and lingers only so long")
  func typedEnd() throws {
    let server = try TestServer()
    let client = try server.connect()
    let publisher = try server.connect()
    _ = try client.ask("SUBJECT prices")
    try client.say("SUB prices 2")
    _ = try client.line()
    client.endInput()
    _ = try publisher.ask("SEND prices 1")
    #expect(try client.line() == "= 1 1")
    #expect(try publisher.ask("LIST streams").hasPrefix("* stream "))
    server.advance(seconds: 11)
    #expect(try client.rest() == [])
  }

  @Test("a typed stream without limit goes on after the end of input")
  func typedEndless() throws {
    let server = try TestServer()
    let client = try server.connect()
    let publisher = try server.connect()
    _ = try client.ask("SUBJECT prices")
    _ = try client.ask("SUB prices max")
    client.endInput()
    server.advance(seconds: 100)
    _ = try publisher.ask("SEND prices 1")
    #expect(try client.line() == "= 1 1")
    _ = try publisher.ask("DONE prices")
    #expect(try client.rest() == ["DONE 1"])
  }

  @Test("a line without an end is not run")
  func partialLine() throws {
    let server = try TestServer()
    let client = try server.connect()
    try client.send(Array("PING 1\nSUBJECT cut".utf8))
    client.endInput()
    #expect(
      try client.rest() == ["PONG 1", "ERR usage the last line has no line end and was not run"]
    )
  }

  @Test("framed end of input gives up everything")
  func framedEnd() throws {
    let server = try TestServer()
    let client = try server.connect()
    let other = try server.connect()
    _ = try client.ask("SUBJECT prices")
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUB prices 5")
    client.endInput()
    #expect(try client.rest() == [])
    #expect(try other.ask("LIST streams") == "OK list 0")
  }

  @Test("a reset frees everything and touches nobody else")
  func reset() throws {
    let server = try TestServer()
    let client = try server.connect()
    let other = try server.connect()
    _ = try client.ask("SUBJECT prices")
    _ = try client.ask("SUB prices max")
    _ = try other.ask("SUB prices max")
    client.reset()
    try Patience.wait(for: "the end of the other stream") {
      try other.ask("LIST streams", rowWith: "stream").hasPrefix("* stream client=2 id=1 ")
    }
    #expect(try other.ask("SEND prices 1") == "= 1 1")
  }

  @Test("a server that stops lets those go on who wait for an end after theirs")
  func drainAfterQuit() throws {
    let server = try TestServer()
    let publisher = try server.connect()
    let quitter = try server.connect()
    let ended = try server.connect()
    let sender = try server.connect()
    _ = try publisher.ask("SUBJECT prices")
    _ = try publisher.ask("SUBJECT strict flow=slowest")
    _ = try publisher.ask("SUB prices 2")
    _ = try publisher.ask("SUB strict")
    _ = try publisher.line()
    try quitter.say("TAKE prices 1", "SUB prices max", "QUIT")
    _ = try quitter.lines(3)
    try ended.say("TAKE prices 1")
    _ = try ended.line()
    ended.endInput()
    try sender.say("SEND strict a")
    try publisher.waitUntil(1, waitAt: "strict")
    server.server.stop(drain: 30) {}
    for client in [publisher, quitter, ended, sender] { #expect(try client.line() == "DRAIN 30") }
    _ = try publisher.ask("SEND prices 1")
    #expect(try quitter.rest() == ["= 1 1", "DONE 1", "BYE quit bye"])
    #expect(try ended.rest() == ["= 1 1", "DONE 1"])
    server.advance(seconds: 31)
    #expect(
      try sender.rest() == [
        "ERR no-demand strict had no room for 5000 ms; the value was not sent",
        "BYE shutdown the server is shutting down",
      ]
    )
  }

  @Test("a publisher is told that the server goes away, and what it was told is held goes out")
  func drainPublications() throws {
    let server = try TestServer()
    let reader = try server.connect()
    let publisher = try server.connect()
    _ = try reader.ask("SUBJECT strict flow=slowest")
    _ = try reader.ask("SUBJECT other")
    _ = try reader.ask("SUB other 5")
    _ = try publisher.ask("PUB strict")
    _ = try publisher.ask("= 1 a")
    _ = try reader.ask("SUB strict max")
    #expect(try reader.line() == "= 2 a")
    _ = try publisher.line()
    _ = try reader.ask("CANCEL 2")
    _ = try publisher.ask("= 1 b")
    server.server.stop(drain: 30) {}
    #expect(try publisher.lines(2) == ["DRAIN 30", "CANCEL 1 draining"])
    #expect(try publisher.ask("= 1 c") == "OK value 1 ended")
    _ = try reader.ask("DELETE strict")
    #expect(try publisher.rest() == ["BYE shutdown the server is shutting down"])
  }

  @Test("QUIT now answers the SENDs that wait, and nothing is sent after it")
  func quitWhileSending() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT strict flow=slowest")
    try client.say("SEND strict a", "@t SEND strict b", "QUIT now")
    #expect(
      try client.rest() == [
        "ERR no-demand strict had no room before the connection ended; the value was not sent",
        "@t ERR no-demand strict had no room before the connection ended; the value was not sent",
        "OK quit",
        "BYE quit bye",
      ]
    )
    let reader = try server.connect()
    _ = try reader.ask("SUB strict 5")
    #expect(try reader.linesSoFar() == [])
  }

  @Test("the SENDs that wait end with their connection, and nothing is sent after it")
  func closedWhileSending() throws {
    let server = try TestServer()
    let other = try server.connect()
    _ = try other.ask("SUBJECT strict flow=slowest")
    let framed = try server.connect()
    _ = try framed.ask("HELLO 1")
    let reset = try server.connect()
    for client in [framed, reset] { try client.say("SEND strict a", "@t SEND strict b") }
    try other.waitUntil(4, waitAt: "strict")
    framed.endInput()
    reset.reset()
    try other.waitUntil(0, waitAt: "strict")
    _ = try other.ask("SUB strict 5")
    server.advance(seconds: 6)
    #expect(try other.linesSoFar() == [])
  }
}
