import CLinux
import Glibc

/// Sends datagrams to a Unix socket, such as the notification socket of systemd.
///
/// It never blocks: datagrams without room at the receiver are dropped.
public final class NoticeSocket: Sendable {
  private let descriptor: Int32

  /// Connects to the socket at `path`; a leading `@` denotes an abstract name.
  public init(path: String) throws(TransportError) {
    func failure(_ call: String, _ errno: Int32) -> TransportError {
      TransportError("\(call) unix:\(path)", errno)
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = path.hasPrefix("@") ? [0] + path.utf8.dropFirst() : Array(path.utf8)
    guard !name.isEmpty, name.count <= longestUnixPath else { throw failure("connect", EINVAL) }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
    // The length ends an abstract name; a zero byte ends a path.
    let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + name.count }
    let flags = SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    descriptor = socket(AF_UNIX, Int32(flags), 0)
    if descriptor < 0 { throw failure("socket", errno) }
    let isConnected = unsafe withUnsafePointer(to: address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(size ?? MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isConnected else {
      let error = failure("connect", errno)
      Glibc.close(descriptor)
      throw error
    }
  }

  deinit { Glibc.close(descriptor) }

  public func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }
}
