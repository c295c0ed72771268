import Dispatch
import FlowServerSupport
import FlowTestSupport
import FlowTransport
import Testing

@testable import FlowServer

/// How far a server is with the client that came last.
struct Standing: Sendable {
  /// Bytes sent to it so far, or `nil` if the server has let it go.
  let sent: Int?
  /// Whether there is more to send.
  let isSending: Bool
  /// Whether it is not read, until something else happens.
  let isPaused: Bool
  /// Whether what it has said goes on by itself, as turns pass and what was sent is read.
  let goesOn: Bool
  /// Bytes read of all clients so far.
  let read: Int
  /// How often the server has left something for a later turn, or until bytes are sent.
  let postponed: Int
}

extension TestServer {
  /// Asked between turns; the first client is not looked at.
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

  /// Does `body` while the server does nothing.
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
