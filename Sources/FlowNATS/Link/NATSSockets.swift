package import FlowTransport

/// Connects to NATS by sockets of an event loop.
package final class NATSSockets: NATSDialer {
  private let loop: EventLoop

  package init(_ loop: EventLoop) { self.loop = loop }

  package func dial(
    _ address: String,
    opened: @escaping (Result<any NATSWire, NATSError>) -> Void
  ) {
    let answer = OnQueue(opened)
    let loop = loop
    let platform = loop.platform
    // Runs off the loop, because connecting and looking up names block.
    platform.run(after: 0) { @Sendable in
      let result: Result<ConnectedSocket, TransportError>
      do throws(TransportError) {
        let place = try SocketAddress(parsing: address)
        result = .success(try platform.connect(to: place, within: Self.patience))
      } catch {
        result = .failure(error)
      }
      loop.post {
        switch result {
        case .success(let socket):
          let wire = SocketWire()
          wire.connection = loop.register(socket, handler: wire)
          answer.call(.success(wire))
        case .failure(let error):
          answer.call(.failure(NATSError(.lost, "\(error)")))
        }
      }
    }
  }

  /// The timeout of a connection attempt, in nanoseconds.
  private static let patience: UInt64 = 2_000_000_000
}

/// Passes a new connection to the link.
///
/// Unchecked: it is made and called on the loop's queue and only carried through other threads.
private final class OnQueue: @unchecked Sendable {
  let call: (Result<any NATSWire, NATSError>) -> Void

  init(_ call: @escaping (Result<any NATSWire, NATSError>) -> Void) { self.call = call }
}

private final class SocketWire: NATSWire, ConnectionHandler {
  weak var receiver: (any NATSReceiver)?
  /// `nil` once closed.
  var connection: Connection?

  func send(_ bytes: [UInt8]) { connection?.append(bytes) }

  func close() {
    receiver = nil
    let open = connection
    connection = nil
    open?.close()
  }

  func connection(_ connection: Connection, received buffer: UnsafeRawBufferPointer) -> Int {
    guard let receiver else { return buffer.count }
    return unsafe receiver.received(buffer)
  }

  func connectionInputEnded(_ connection: Connection) { connection.close() }

  func connectionDrained(_ connection: Connection) {}

  func connectionClosed(_ connection: Connection, _ error: TransportError?) {
    self.connection = nil
    let told = receiver
    receiver = nil
    told?.wireClosed(error.map { "\($0)" } ?? "NATS closed the connection")
  }
}
