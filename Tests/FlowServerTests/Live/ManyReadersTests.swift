import FlowLanguage
import FlowSubjects
import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("Values for many readers")
struct ManyReadersTests {
  /// A server with so many subscriptions to `big`, and whose they are.
  private func server(readers: Int) throws -> (TestServer, TestClient) {
    let server = try TestServer()
    try server.prepare("SUBJECT big")
    let client = try server.framed()
    for number in 1...readers { _ = try client.ask("SUB big max as=\(number)") }
    return (server, client)
  }

  @Test("come in batches that are the smaller, the more readers there are")
  func batches() throws {
    for (readers, room) in [(10, Int.max), (64, .max), (65, 4032), (256, 1024)] {
      let (server, client) = try server(readers: readers)
      withExtendedLifetime(client) {
        #expect(server.server.perform { $0.registry.subject("big")?.roomForBatch() } == room)
      }
    }
  }

  @Test("end the turn after so many deliveries, for few readers never")
  func turn() throws {
    for (readers, values) in [(100, 2622), (10, 3000)] {
      let (server, client) = try server(readers: readers)
      let sent = server.server.perform { engine in
        engine.timeSlice.beginTurn()
        var count = 0
        while !engine.timeSlice.isOver, count < 3000 {
          Array("value".utf8).withUnsafeBytes { _ = engine.registry.subject("big")?.publish($0) }
          count += 1
        }
        return count
      }
      #expect(sent == values)
      withExtendedLifetime(client) {}
    }
  }

  @Test("all reach all of them, in several turns, and others are served")
  func whole() throws {
    let (server, client) = try server(readers: 100)
    let (sender, other) = (try server.connect(), try server.connect())
    #expect(try sender.ask("FEED big").hasPrefix("# feeding big; "))
    try sender.say((1...3000).map { "\($0)" }.joined(separator: "\n"), ".")
    #expect(try other.ask("PING here") == "PONG here")
    #expect(try sender.line() == "OK feed big sent=3000 missed=0 refused=0")
    #expect(server.server.perform { $0.registry.subject("big")?.delivered } == 300_000)
    withExtendedLifetime(client) {}
  }
}
