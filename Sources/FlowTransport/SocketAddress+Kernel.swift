import CLinux
import Glibc

/// `sun_path` without its closing zero.
let longestUnixPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

func canonicalIP4(_ text: String) -> String? {
  var host = in_addr()
  guard inet_pton(AF_INET, text, &host) == 1 else { return nil }
  return words(of: host)
}

func canonicalIP6(_ text: String) -> String? {
  var host = in6_addr()
  guard inet_pton(AF_INET6, text, &host) == 1 else { return nil }
  return words(of: host)
}

private func words(of host: in_addr) -> String {
  presentation(AF_INET, host, longest: Int(INET_ADDRSTRLEN))
}

private func words(of host: in6_addr) -> String {
  presentation(AF_INET6, host, longest: Int(INET6_ADDRSTRLEN))
}

private func presentation<Host>(_ family: Int32, _ host: Host, longest: Int) -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: longest) { text in
    withUnsafePointer(to: host) { host in
      guard let base = text.baseAddress, inet_ntop(family, host, base, socklen_t(longest)) != nil
      else { return "?" }
      return String(cString: base)
    }
  }
}

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
    return SocketAddress(.ip4(host: "127.0.0.1", port: port))
  }

  /// What the kernel reports through `getsockname`, `getpeername` and `accept`.
  init?(_ storage: sockaddr_storage) {
    let place: Place? = withUnsafeBytes(of: storage) { bytes in
      switch Int32(storage.ss_family) {
      case AF_INET:
        let address = bytes.loadUnaligned(as: sockaddr_in.self)
        return .ip4(host: words(of: address.sin_addr), port: UInt16(bigEndian: address.sin_port))
      case AF_INET6:
        let address = bytes.loadUnaligned(as: sockaddr_in6.self)
        return .ip6(host: words(of: address.sin6_addr), port: UInt16(bigEndian: address.sin6_port))
      default:
        return nil
      }
    }
    guard let place else { return nil }
    self.init(place)
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
      inet_pton(AF_INET, host, &address.sin_addr)
      return Self.asGeneric(&address, body)
    case .ip6(let host, let port):
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      inet_pton(AF_INET6, host, &address.sin6_addr)
      return Self.asGeneric(&address, body)
    case .unix(let path):
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      return Self.asGeneric(&address, body)
    case .name:
      return body(nil, 0)
    }
  }

  private static func asGeneric<Address, Result>(
    _ address: inout Address,
    _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}
