import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("HELLO ping=")
struct SignsOfLifeTests {
  @Test(
    "is granted between a second and an hour",
    arguments: [
      ("10s", "10s"), ("1500ms", "1500ms"), ("10ms", "1s"), ("90m", "3600s"), ("2m", "120s"),
    ]
  )
  func granted(_ asked: String, _ granted: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    #expect(
      try client.ask("HELLO 1 name=probe ping=\(asked)") == "OK hello 1 ping=\(granted) name=probe"
    )
  }

  @Test("says something in every silence, which is no answer, and nothing beside other output")
  func pongs() throws {
    let server = try TestServer()
    let client = try server.connect()
    let other = try server.connect()
    _ = try client.ask("SUBJECT prices")
    _ = try client.ask("HELLO 1 ping=10s")
    _ = try client.ask("SUB prices max")
    server.advance(seconds: 10)
    _ = try other.ask("SEND prices 1")
    #expect(try client.line() == "= 1 1")
    server.advance(seconds: 10)
    try client.say("PING")
    #expect(try client.line() == "PONG")
    server.advance(seconds: 10)
    server.advance(seconds: 10)
    #expect(try client.line() == "@! PONG")
  }

  @Test("a client that says nothing for three times as long is sent away, streams or not")
  func idle() throws {
    let server = try TestServer()
    let client = try server.connect()
    let other = try server.connect()
    _ = try client.ask("SUBJECT prices")
    _ = try client.ask("HELLO 1 ping=2s")
    _ = try client.ask("SUB prices max")
    server.advance(seconds: 5.9)
    #expect(try client.linesSoFar() == ["@! PONG"])
    for _ in 0..<4 { server.advance(seconds: 2) }
    #expect(try client.rest().last == "BYE idle nothing received for 6 s")
    #expect(try other.ask("LIST streams") == "OK list 0")
  }

  @Test("a client that is not read has no chance to say anything, and stays")
  func notRead() throws {
    let server = try TestServer()
    let client = try server.connect()
    let other = try server.connect()
    _ = try client.ask("SUBJECT prices flow=slowest")
    _ = try client.ask("HELLO 1 ping=1s")
    try client.say("FEED prices", "a", ".")
    try other.waitUntil(1, waitAt: "prices")
    for _ in 0..<10 { server.advance(seconds: 1) }
    try other.say("TAKE prices 1")
    #expect(try other.lines(3).last == "DONE 1")
    #expect(try client.rest(until: "OK feed prices sent=1 missed=0 refused=0").count > 5)
  }

  @Test("without it an idle client without streams is sent away after an hour only")
  func usual() throws {
    let server = try TestServer()
    let idle = try server.connect()
    let client = try server.connect()
    _ = try client.ask("SUBJECT prices")
    _ = try client.ask("SUB prices 1")
    for _ in 0..<59 { server.advance(seconds: 60) }
    #expect(try idle.ask("PING") == "PONG")
    for _ in 0..<60 { server.advance(seconds: 60) }
    #expect(try idle.rest() == ["BYE idle nothing received for 3600 s"])
    #expect(try client.linesSoFar() == [])
  }
}
