/// Where a server listens.
package enum SocketToServe: Sendable {
  /// At an address, by a new socket.
  case made(at: SocketAddress)
  case passed(any ListeningSocket)

  /// Makes or returns the socket; `localhost` is 127.0.0.1.
  package func taken(for loop: EventLoop) throws(TransportError) -> any ListeningSocket {
    switch self {
    case .made(let address): try loop.platform.listen(on: address.withoutLocalName)
    case .passed(let socket): socket
    }
  }
}
