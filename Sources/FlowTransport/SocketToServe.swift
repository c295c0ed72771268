/// The socket that a server listens on.
package enum SocketToServe: Sendable {
  /// At an address, where no socket listens yet.
  case made(at: SocketAddress)
  /// At a socket that listens already.
  case passed(any ListeningSocket)

  /// The socket; `localhost` is 127.0.0.1.
  package func taken(for loop: EventLoop) throws(TransportError) -> any ListeningSocket {
    switch self {
    case .made(let address): try loop.platform.listen(on: address.withoutLocalName)
    case .passed(let socket): socket
    }
  }
}
