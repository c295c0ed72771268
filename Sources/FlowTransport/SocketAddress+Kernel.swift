import CLinux
import Glibc

/// `sun_path` without its closing zero.
let longestUnixPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

extension SocketAddress {
  var family: Int32 {
    switch place {
    case .ip4, .name: AF_INET
    case .ip6: AF_INET6
    case .unix: AF_UNIX
    }
  }

  /// The address behind `localhost`, which is no name to look up.
  var withoutLocalName: SocketAddress {
    guard case .name(let name, let port) = place, name.lowercased() == "localhost" else {
      return self
    }
    return SocketAddress(.ip4(host: .loopback, port: port))
  }

  /// Reads the result of `getsockname`, `getpeername` and `accept`.
  init?(_ storage: sockaddr_storage) {
    let place: Place? = unsafe withUnsafeBytes(of: storage) { bytes in
      switch Int32(storage.ss_family) {
      case AF_INET:
        let address = unsafe bytes.loadUnaligned(as: sockaddr_in.self)
        return .ip4(host: IP4(address.sin_addr), port: UInt16(bigEndian: address.sin_port))
      case AF_INET6:
        let address = unsafe bytes.loadUnaligned(as: sockaddr_in6.self)
        return .ip(IP6(address.sin6_addr), port: UInt16(bigEndian: address.sin6_port))
      default:
        return nil
      }
    }
    guard let place else { return nil }
    self.init(place)
  }

  /// Reads the address of a Unix socket from `getsockname`, in `size` bytes; an abstract name
  /// begins with `@`.
  init?(unix storage: sockaddr_storage, size: Int) {
    let start = MemoryLayout<sa_family_t>.size
    guard Int32(storage.ss_family) == AF_UNIX, size > start else { return nil }
    let path: [UInt8] = unsafe withUnsafeBytes(of: storage) { bytes in
      let name = unsafe bytes[start..<min(size, bytes.count)]
      if unsafe name.first == 0 { return unsafe [UInt8(ascii: "@")] + name.dropFirst() }
      return unsafe Array(name.prefix { $0 != 0 })
    }
    self.init(.unix(path: String(decoding: path, as: UTF8.self)))
  }

  /// Calls `body` with the kernel's form of the address, or with a null pointer for a name.
  func withKernelForm<Result>(
    _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Result
  ) -> Result {
    switch place {
    case .ip4(let host, let port):
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr = host.kernelForm
      return unsafe Self.asGeneric(&address, body)
    case .ip6(let host, let port):
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = host.kernelForm
      return unsafe Self.asGeneric(&address, body)
    case .unix(let path):
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
      return unsafe Self.asGeneric(&address, body)
    case .name:
      return body(nil, 0)
    }
  }

  private static func asGeneric<Address, Result>(
    _ address: inout Address,
    _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Result
  ) -> Result {
    unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}
