import Dispatch
import FlowTransport

extension EventLoop {
  /// Connects to `address` on the calling thread; `connected` gets the connection on the queue,
  /// before anything of it reaches `handler`.
  func dial(
    _ address: String,
    patience: Duration,
    handler: any ConnectionHandler & Sendable,
    connected: @escaping @Sendable (Connection) -> Void
  ) throws(RemoteError) {
    do throws(TransportError) {
      let timeout = Int32(clamping: patience.inMilliseconds)
      let target = try SocketAddress(parsing: address)
      let socket = try ConnectedSocket(connectingTo: target, timeout: timeout)
      post { connected(self.register(socket, handler: handler)) }
    } catch {
      throw RemoteError(code: RemoteError.unreachable, message: error.message)
    }
  }
}

extension Duration {
  /// The length in whole milliseconds, at least 0.
  var inMilliseconds: Int {
    let (seconds, attoseconds) = components
    return Int(clamping: max(0, min(seconds, 1 << 40) * 1000 + attoseconds / 1_000_000_000_000_000))
  }
}
