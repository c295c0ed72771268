internal import Glibc

/// Where a server listens or a client connects: an IP address with a port, or a path.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  enum Kind: Hashable, Sendable {
    case ipv4([UInt8], UInt16)
    case ipv6([UInt8], UInt16)
    case unix(String)
  }

  let kind: Kind

  init(_ kind: Kind) { self.kind = kind }

  /// Reads `127.0.0.1:3569`, `[::1]:0`, `localhost:3569`, `:3569` (loopback) or `unix:PATH`.
  public init(parsing text: String) throws(TransportError) {
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst(5))
      // sun_path holds 108 octets, the last one 0.
      guard (1...107).contains(path.utf8.count) else {
        throw Self.malformed(text, "a path has 1 to 107 octets")
      }
      kind = .unix(path)
      return
    }
    guard let colon = text.lastIndex(of: ":") else {
      throw Self.malformed(text, "expected HOST:PORT, [HOST]:PORT or unix:PATH")
    }
    guard let port = UInt16(text[text.index(after: colon)...]) else {
      throw Self.malformed(text, "the port is a number from 0 to 65535")
    }
    var host = String(text[..<colon])
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    if isBracketed { host = String(host.dropFirst().dropLast()) }
    if !isBracketed, host.isEmpty || host == "localhost" { host = "127.0.0.1" }
    if let octets = Self.octets(host, AF_INET, 4), !isBracketed {
      kind = .ipv4(octets, port)
    } else if let octets = Self.octets(host, AF_INET6, 16), isBracketed {
      kind = .ipv6(octets, port)
    } else {
      throw Self.malformed(
        text,
        "expected a numeric address such as 127.0.0.1:3569 or [::1]:3569, or localhost"
      )
    }
  }

  private static func malformed(_ text: String, _ message: String) -> TransportError {
    TransportError(call: "address \(text)", message: message)
  }

  private static func octets(_ host: String, _ family: Int32, _ count: Int) -> [UInt8]? {
    var octets = [UInt8](repeating: 0, count: count)
    return inet_pton(family, host, &octets) == 1 ? octets : nil
  }

  /// Whether only this machine can reach it.
  public var isLoopback: Bool {
    switch kind {
    case .ipv4(let octets, _): octets[0] == 127
    case .ipv6(let octets, _): octets == [UInt8](repeating: 0, count: 15) + [1]
    case .unix: true
    }
  }

  /// The port, if there is one.
  public var port: UInt16? {
    switch kind {
    case .ipv4(_, let port), .ipv6(_, let port): port
    case .unix: nil
    }
  }

  public var description: String {
    switch kind {
    case .ipv4(let octets, let port): octets.map(String.init).joined(separator: ".") + ":\(port)"
    case .ipv6(let octets, let port): "[\(Self.text(octets))]:\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }

  private static func text(_ octets: [UInt8]) -> String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(AF_INET6, octets, &text, socklen_t(text.count)) != nil else { return "::" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  // MARK: The system's form

  var family: Int32 {
    switch kind {
    case .ipv4: AF_INET
    case .ipv6: AF_INET6
    case .unix: AF_UNIX
    }
  }

  func withSockaddr<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    var storage = sockaddr_storage()
    let length = withUnsafeMutableBytes(of: &storage) { bytes -> Int in
      switch kind {
      case .ipv4(let octets, let port):
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: octets) }
        withUnsafeBytes(of: address) { bytes.copyMemory(from: $0) }
        return MemoryLayout<sockaddr_in>.size
      case .ipv6(let octets, let port):
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: octets) }
        withUnsafeBytes(of: address) { bytes.copyMemory(from: $0) }
        return MemoryLayout<sockaddr_in6>.size
      case .unix(let path):
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        withUnsafeBytes(of: address) { bytes.copyMemory(from: $0) }
        return MemoryLayout<sockaddr_un>.size
      }
    }
    return withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
    }
  }

  /// The address at one end of a socket, as `getsockname` or `getpeername` tells it.
  init?(
    of descriptor: Int32,
    _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &length) }
    }
    guard result == 0 else { return nil }
    let kind: Kind? = withUnsafeBytes(of: storage) { bytes in
      switch Int32(storage.ss_family) {
      case AF_INET:
        let address = bytes.loadUnaligned(as: sockaddr_in.self)
        return .ipv4(
          withUnsafeBytes(of: address.sin_addr) { Array($0) },
          UInt16(bigEndian: address.sin_port)
        )
      case AF_INET6:
        let address = bytes.loadUnaligned(as: sockaddr_in6.self)
        return .ipv6(
          withUnsafeBytes(of: address.sin6_addr) { Array($0) },
          UInt16(bigEndian: address.sin6_port)
        )
      case AF_UNIX: return .unix("")
      default: return nil
      }
    }
    guard let kind else { return nil }
    self.kind = kind
  }
}
