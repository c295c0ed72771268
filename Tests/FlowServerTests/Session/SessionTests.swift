import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("Session")
struct SessionTests {
  @Test("answers HELLO once and is quiet afterwards")
  func hello() throws {
    let server = try TestServer()
    let client = try server.connect()
    #expect(try client.ask("HELLO 1") == "OK hello 1")
    #expect(try client.ask("HELLO 1").hasPrefix("ERR usage "))
    #expect(try client.ask("DONE 9").hasPrefix("@! ERR unknown-stream "))
  }

  @Test("stays typed when asked for a version it does not speak")
  func version() throws {
    let server = try TestServer()
    let client = try server.connect()
    #expect(try client.ask("HELLO 2") == "ERR version supported=1")
    #expect(try client.ask("DONE 9").hasPrefix("ERR unknown-stream "))
  }

  @Test("gives the highest id used plus one")
  func ids() throws {
    let server = try TestServer()
    let client = try client(of: server)
    #expect(try client.ask("SUB a 1") == "OK sub 4 a demand=1")
    #expect(try client.ask("SUB a 1 as=7") == "OK sub 7 a demand=1")
    #expect(try client.ask("SUB a 1") == "OK sub 8 a demand=1")
    #expect(try client.ask("CANCEL 8") == "OK cancel 8 values=0 missed=0 undelivered=0")
    #expect(try client.ask("SUB a 1") == "OK sub 9 a demand=1")
    #expect(try client.ask("SUB a 1 as=2") == "OK sub 2 a demand=1")
  }

  @Test("refuses an id that is in use", arguments: ["SUB a", "TAKE a 1", "PUB a", "SERVE double"])
  func idInUse(_ command: String) throws {
    let server = try TestServer()
    let client = try client(of: server)
    for id in [1, 3] {
      #expect(try client.ask("\(command) as=\(id)").hasPrefix("ERR id-in-use "))
    }
  }

  @Test(
    "tells an ended stream from one that never was",
    arguments: [
      ("REQ 2 1", "OK req 2 ended"),
      ("CANCEL 2", "OK cancel 2 ended"),
      ("DONE 2", "OK done 2 ended"),
      ("FAIL 2 oops it broke", "OK fail 2 ended"),
      ("= 2 x", "OK value 2 ended"),
      ("REQ 9 1", "ERR unknown-stream there is no stream 9; open: 1, 3"),
      ("CANCEL 9", "ERR unknown-stream there is no stream 9; open: 1, 3"),
      ("DONE 9", "ERR unknown-stream there is no stream 9; open: 1, 3"),
      ("= 9 x", "ERR unknown-stream there is no stream 9; open: 1, 3"),
      ("DONE 9.1", "ERR unknown-stream there is no stream 9.1; open: 1, 3"),
      ("DONE 1.1", "ERR usage stream 1 is not a worker; open one with SERVE"),
      ("DONE 2.1", "OK done 2.1 ended"),
      ("CANCEL 2.1", "OK cancel 2.1 ended"),
      ("REQ 2.1 1", "OK req 2.1 ended"),
      ("DONE 1", "ERR usage stream 1 is a subscription; end it with CANCEL 1"),
      ("= 1 x", "ERR usage stream 1 is a subscription; open a publication with PUB"),
      ("CANCEL 3", "ERR usage stream 3 is a publication; end it with DONE 3"),
      ("REQ 0 1", "ERR unknown-stream there is no stream 0; open: 1, 3"),
      ("CANCEL 0", "ERR unknown-stream there is no stream 0; open: 1, 3"),
      ("DONE 0", "ERR unknown-stream there is no stream 0; open: 1, 3"),
      ("REQ other 1", "ERR unknown-stream there is no open stream on other; open: 1, 3"),
      ("REQ a 5", "OK req 1 demand=6"),
    ]
  )
  func streams(_ line: String, _ answer: String) throws {
    let server = try TestServer()
    let client = try client(of: server)
    #expect(try client.ask(line) == answer)
  }

  @Test("takes a name where exactly one stream is on it")
  func names() throws {
    let server = try TestServer()
    let client = try client(of: server)
    _ = try client.ask("SUB a 1 as=5")
    #expect(try client.ask("REQ a 5") == "ERR usage streams 1, 5 are all on a; use an id")
    #expect(try client.ask("CANCEL a") == "ERR usage streams 1, 5 are all on a; use an id")
  }

  @Test("ends the connection after so many errors in a row, which a success interrupts")
  func errors() throws {
    var configuration = Configuration()
    configuration.connections.errorLimit = 3
    let server = try TestServer(configuration)
    let client = try server.connect()
    for _ in 0..<3 {
      for _ in 0..<2 { #expect(try client.ask("nonsense").hasPrefix("ERR unknown-command ")) }
      #expect(try client.ask("PING") == "PONG")
    }
    for _ in 0..<3 { try client.say("nonsense") }
    for _ in 0..<3 { #expect(try client.line().hasPrefix("ERR ")) }
    #expect(try client.line() == "BYE errors 3 errors in a row")
  }

  /// One with a subscription 1 and a publication 3 on the subject `a`, and a stream 2 that has ended.
  private func client(of server: TestServer) throws -> TestClient {
    let client = try server.connect()
    for line in ["SUBJECT a", "SUB a 1", "SUB a 1", "PUB a", "CANCEL 2"] {
      _ = try client.ask(line)
    }
    return client
  }
}
