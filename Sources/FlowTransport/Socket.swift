import CLinux
import Glibc

/// The calls on socket descriptors that more than one type needs.
enum Socket {
  /// Creates a stream socket that children do not inherit.
  static func make(_ family: Int32, blocking: Bool = false) -> Int32 {
    let flags = SOCK_CLOEXEC.rawValue | (blocking ? 0 : SOCK_NONBLOCK.rawValue)
    return socket(family, Int32(SOCK_STREAM.rawValue | flags), 0)
  }

  static func close(_ descriptor: Int32) {
    Glibc.close(descriptor)
  }

  @discardableResult
  static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) -> Bool {
    var value = value
    return unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
      == 0
  }

  /// Disables Nagle's algorithm; no effect on a Unix socket.
  static func sendAtOnce(_ descriptor: Int32) {
    set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
  }

  /// Enables keep-alive probes; no effect on a Unix socket.
  static func set(_ descriptor: Int32, _ keepAlive: KeepAlive) {
    let tcp = Int32(IPPROTO_TCP)
    set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
    set(descriptor, tcp, TCP_KEEPIDLE, keepAlive.idle)
    set(descriptor, tcp, TCP_KEEPINTVL, keepAlive.interval)
    set(descriptor, tcp, TCP_KEEPCNT, keepAlive.probes)
  }

  /// The bytes that were sent and that the peer has not acknowledged.
  static func unacknowledged(_ descriptor: Int32) -> Int {
    var count: Int32 = 0
    return unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
  }

  /// Closing it will drop what is unsent and tell the peer so.
  static func resetOnClose(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout<linger>.size)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, size)
  }

  /// The kernel's figures of a TCP connection; nil for other sockets.
  static func information(_ descriptor: Int32) -> tcp_info? {
    var information = tcp_info()
    var size = socklen_t(MemoryLayout<tcp_info>.size)
    let tcp = Int32(IPPROTO_TCP)
    return unsafe getsockopt(descriptor, tcp, TCP_INFO, &information, &size) == 0
      ? information : nil
  }

  /// Ends the connection, even if other descriptors refer to it.
  static func shutDown(_ descriptor: Int32) {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  static func shutDownOutput(_ descriptor: Int32) {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// The error a hang-up left behind; the kernel's EPIPE is a reset after the peer's end.
  static func pendingError(_ descriptor: Int32) -> Int32 {
    var error: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
    return error == 0 || error == EPIPE ? ECONNRESET : error
  }

  /// The address a listening socket really has.
  static func localAddress(_ descriptor: Int32) -> SocketAddress? {
    unsafe address { unsafe getsockname(descriptor, $0, $1) == 0 }.flatMap { SocketAddress($0) }
  }

  /// Calls `fill` with room for an address of any family; nil if it fails.
  static func address(
    _ fill: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Bool
  ) -> sockaddr_storage? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isFilled = unsafe withUnsafeMutablePointer(to: &storage) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe fill($0, &size) }
    }
    return isFilled ? storage : nil
  }
}
