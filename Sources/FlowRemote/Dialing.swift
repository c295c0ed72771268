import Dispatch
import FlowTransport

extension ConnectedSocket {
  /// Connects to `HOST:PORT` or `unix:PATH`, waiting on the calling thread.
  static func dial(
    _ address: String,
    patience: Duration
  ) -> Result<ConnectedSocket, RemoteError> {
    do throws(TransportError) {
      let target = try SocketAddress(parsing: address)
      let timeout = Int32(clamping: patience.inMilliseconds)
      return .success(try ConnectedSocket(connectingTo: target, timeout: timeout))
    } catch {
      return .failure(.unreachable(error.message))
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
