import Dispatch
import FlowServerSupport
import FlowTestSupport
import FlowTransport
import Testing

@testable import FlowServer

/// How far the server is with its newest client.
struct Standing: Sendable {
  /// The bytes sent to the client so far, or `nil` if the server has closed its connection.
  let sent: Int?
  /// Whether bytes for the client are unsent.
  let isSending: Bool
  /// Whether the server does not read from the client for now.
  let isPaused: Bool
  /// Whether the client's commands continue by themselves in later turns.
  let goesOn: Bool
  /// The bytes read from all clients so far.
  let read: Int
  /// How often the server has postponed something to a later turn, or until bytes are sent.
  let postponed: Int
}

extension TestServer {
  /// Returns the state between two turns; ignores the first client, the bystander.
  func standing() -> Standing {
    server.perform { engine in
      let client = engine.clients.inOrder.last
      let connection = client.flatMap { $0.id > 1 ? $0.connection : nil }
      let goesOn = client?.waits.isDisjoint(with: [.turn, .pages]) == false
      return Standing(
        sent: connection.map { $0.written - $0.unsent },
        isSending: (connection?.unsent ?? 0) > 0,
        isPaused: connection?.isPaused ?? false,
        goesOn: goesOn,
        read: engine.loop.bytesRead,
        postponed: engine.counters.postponed
      )
    }
  }

  /// Calls `body` while the server's loop is blocked.
  func whileHeld<R>(_ body: () throws -> R) rethrows -> R {
    let isHeld = DispatchSemaphore(value: 0)
    let goOn = DispatchSemaphore(value: 0)
    server.perform { $0.loop }.post {
      isHeld.signal()
      #expect(goOn.wait(timeout: Patience.deadline) == .success, "waited for the test")
    }
    #expect(isHeld.wait(timeout: Patience.deadline) == .success, "waited for the next turn")
    defer { goOn.signal() }
    return try body()
  }
}
