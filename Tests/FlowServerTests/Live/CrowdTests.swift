import FlowSubjects
import FlowServerSupport
import FlowTestSupport
import FlowTransport
import Synchronization
import Testing

@testable import FlowServer

/// One value for so many that a turn has no time to send it to all of them.
@Suite("a crowd of subscribers")
struct CrowdTests {
  /// A machine on which every look at the time takes two milliseconds.
  private final class SlowMachine: SystemPlatform, @unchecked Sendable {  // an atomic only
    private let time = Atomic<UInt64>(1_000_000_000)

    override var monotonicNanoseconds: UInt64 {
      time.wrappingAdd(2_000_000, ordering: .relaxed).newValue
    }
  }

  private static let size = 300

  private func crowd() throws -> (TestServer, [TestClient]) {
    let server = try TestServer(platform: SlowMachine())
    try server.prepare("SUBJECT a")
    let crowd = try (0..<Self.size).map { _ in
      let client = try server.framed()
      #expect(try client.ask("SUB a 3 as=1") == "OK sub 1 a demand=3")
      return client
    }
    return (server, crowd)
  }

  /// Publishes a value in a turn of its own; returns for how many clients the turn had no time.
  private func publish(_ text: String, on server: TestServer) -> Int {
    let left = Left()
    server.server.perform { engine in
      let bytes = Array(text.utf8)
      unsafe bytes.withUnsafeBytes { unsafe _ = engine.registry.subject("a")?.publish($0) }
      // The turn after this one: what is left over goes on behind that.
      engine.loop.post { left.count.store(engine.turn.late.count, ordering: .relaxed) }
    }
    return server.server.perform { _ in left.count.load(ordering: .relaxed) }
  }

  private final class Left: Sendable {
    let count = Atomic(0)
  }

  @Test("is sent to over several turns, each with all it has asked for and in order")
  func turns() throws {
    let (server, crowd) = try crowd()
    #expect(publish("1", on: server) > 0)
    for value in 2...4 { _ = publish("\(value)", on: server) }
    for client in crowd {
      #expect(try client.lines(3) == ["= 1 1", "= 1 2", "= 1 3"])
      #expect(try client.ask("CANCEL 1") == "OK cancel 1 values=3 missed=1 undelivered=0")
    }
    #expect(server.server.perform { $0.turn.late.isEmpty })
  }

  @Test("holds nobody else up: who asks meanwhile is answered before the last of them has a value")
  func bystander() throws {
    let (server, crowd) = try crowd()
    let bystander = try server.framed()
    try bystander.say("PING")
    try bystander.waitForArrival()
    #expect(try bystander.line() == "PONG")
    let left = publish("1", on: server)
    #expect(left > 100 && left < Self.size)
    #expect(try bystander.ask("PING") == "PONG")
    for client in crowd { #expect(try client.line() == "= 1 1") }
  }

  @Test("may end in any way while it waits to be sent to")
  func ends() throws {
    let (server, crowd) = try crowd()
    #expect(publish("1", on: server) > 0)
    for (place, client) in crowd.enumerated() {
      switch place % 4 {
      case 0: client.reset()
      case 1: try client.say("CANCEL 1", "SUB a 1 as=2")
      case 2: try client.say("CANCEL 1", "QUIT")
      default: break
      }
    }
    _ = publish("2", on: server)
    for (place, client) in crowd.enumerated() {
      switch place % 4 {
      case 1:
        #expect(try client.line() == "= 1 1")
        let lines = try client.rest { $0.hasPrefix("OK sub 2 a") }
        #expect(lines.contains { $0.hasPrefix("OK cancel 1 values=") })
      case 2:
        let lines = try client.rest()
        #expect(lines.first == "= 1 1" && lines.last == "BYE quit bye", "\(lines)")
      case 3: #expect(try client.lines(2) == ["= 1 1", "= 1 2"])
      default: break
      }
    }
    let client = try server.framed()
    // Those that have not left stay until they are counted.
    try withExtendedLifetime(crowd) {
      try Patience.wait(for: "150 subscriptions of a") {
        try client.ask("SHOW a", rowWith: "subscriptions=").contains("subscriptions=150")
      }
    }
    #expect(server.server.perform { $0.turn.late.isEmpty })
  }
}
