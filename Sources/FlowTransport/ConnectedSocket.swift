internal import Glibc

/// A socket that is connected and not yet a loop's.
public struct ConnectedSocket: Sendable {
  let descriptor: Int32
  /// The address of the other side.
  public let peer: SocketAddress

  /// Connects to `address`, waiting for at most `timeout` milliseconds, on the calling thread.
  public init(connectingTo address: SocketAddress, timeout: Int32 = 5000) throws(TransportError) {
    peer = address
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, type, 0)
    guard descriptor >= 0 else { throw TransportError("socket for \(address)", errno) }
    let error = Self.connect(descriptor, address, timeout)
    guard error == 0 else {
      Glibc.close(descriptor)
      throw TransportError("connect \(address)", error)
    }
    self.descriptor = descriptor
  }

  /// Returns the error number; 0 is success.
  private static func connect(_ socket: Int32, _ address: SocketAddress, _ timeout: Int32) -> Int32
  {
    if address.withSockaddr({ Glibc.connect(socket, $0, $1) }) == 0 { return 0 }
    guard errno == EINPROGRESS || errno == EINTR else { return errno }
    var ready = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
    var result: Int32
    repeat { result = poll(&ready, 1, timeout) } while result < 0 && errno == EINTR
    guard result > 0 else { return result == 0 ? ETIMEDOUT : errno }
    var error: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length)
    return error
  }
}
