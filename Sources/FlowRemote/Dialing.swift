import FlowTransport

extension Platform {
  /// Connects to `HOST:PORT` or `unix:PATH`, blocking the calling thread.
  func dial(_ address: String, patience: Duration) -> Result<ConnectedSocket, RemoteError> {
    do throws(TransportError) {
      let target = try SocketAddress(parsing: address)
      return .success(try connect(to: target, within: patience.inNanoseconds))
    } catch {
      return .failure(.unreachable(error.message))
    }
  }
}

extension Duration {
  /// The length in nanoseconds, clamped to 0 and a hundred years.
  var inNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0 else { return 0 }
    let rest = UInt64(max(attoseconds, 0)) / 1_000_000_000
    return UInt64(min(seconds, 3_155_760_000)) * 1_000_000_000 + rest
  }
}
