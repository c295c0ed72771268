internal import Glibc

/// A listening socket, such as systemd passes to a server.
public final class ListeningDescriptor {
  public let descriptor: Int32
  /// The port at 127.0.0.1.
  public let port: UInt16

  /// Listens with room for `backlog` pending connections.
  public init(backlog: Int32 = 4096) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, backlog) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isListening else { throw TestFailure("listen: errno \(errno)") }
    port = UInt16(bigEndian: address.sin_port)
  }

  /// Accepts the next client, with close-on-exec, so that programs of other tests do not inherit it.
  func accept() throws -> Int32 {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&state, 1, Int32(Patience.seconds * 1000)) > 0 else {
      throw TestFailure("waited \(Patience.seconds) s for a client to connect")
    }
    let accepted = Glibc.accept(descriptor, nil, nil)
    guard accepted >= 0, fcntl(accepted, F_SETFD, FD_CLOEXEC) == 0 else {
      throw TestFailure("accept: errno \(errno)")
    }
    return accepted
  }

  deinit { close(descriptor) }
}
