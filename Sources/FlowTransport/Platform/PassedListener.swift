import CLinux
import Glibc

extension SystemPlatform {
  /// Takes over a listening socket that the parent process has made for this one.
  ///
  /// Whoever has made it goes on having it: closing it here ends nobody's listening, and those who
  /// connect meanwhile wait in its queue.
  package static func listener(
    passed descriptor: Int32
  ) throws(TransportError) -> any ListeningSocket {
    func refusal(_ message: String) -> TransportError {
      TransportError(call: "fd \(descriptor)", message: message)
    }
    guard fcntl(descriptor, F_GETFD) >= 0 else { throw refusal("nothing is open there") }
    guard let type = Socket.option(descriptor, SO_TYPE) else { throw refusal("it is not a socket") }
    guard type == Int32(SOCK_STREAM.rawValue) else {
      throw refusal("it is not a stream socket; in a systemd unit write ListenStream=")
    }
    guard Socket.option(descriptor, SO_ACCEPTCONN) == 1 else {
      throw refusal("it is a socket that does not listen; in a systemd unit write Accept=no")
    }
    guard let address = Socket.listeningAddress(descriptor) else {
      throw refusal("it listens neither on TCP nor on a Unix socket")
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) >= 0 else {
      throw TransportError("fd \(descriptor)", errno)
    }
    return KernelListener(shared: descriptor, at: address)
  }
}

extension Socket {
  /// An option of the socket itself; nil if it is none.
  fileprivate static func option(_ descriptor: Int32, _ option: Int32) -> Int32? {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    let outcome = unsafe getsockopt(descriptor, SOL_SOCKET, option, &value, &size)
    return outcome == 0 ? value : nil
  }

  fileprivate static func listeningAddress(_ descriptor: Int32) -> SocketAddress? {
    var size: socklen_t = 0
    let storage = unsafe address {
      guard unsafe getsockname(descriptor, $0, $1) == 0 else { return false }
      size = unsafe $1.pointee
      return true
    }
    return storage.flatMap { SocketAddress($0) ?? SocketAddress(unix: $0, size: Int(size)) }
  }
}
