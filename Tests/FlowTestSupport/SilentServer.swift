import Glibc

/// Takes connections, and says nothing.
public final class SilentServer {
  public struct CannotListen: Error {}

  public let address: String
  private let descriptor: Int32

  public init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isListening = withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 8) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isListening else { throw CannotListen() }
    address = "127.0.0.1:\(UInt16(bigEndian: place.sin_port))"
  }

  deinit { close(descriptor) }

  /// Waits for a client, and closes its connection.
  public func hangUp() {
    let client = accept(descriptor, nil, nil)
    if client >= 0 { close(client) }
  }
}
