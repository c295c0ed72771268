/// The address of a socket.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  enum Place: Hashable, Sendable {
    case ip4(host: IP4, port: UInt16)
    case ip6(host: IP6, port: UInt16)
    case name(String, port: UInt16)
    case unix(path: String)

    /// A host as a socket for both families sees it, which is one of IPv4 if it stands for one.
    static func ip(_ host: IP6, port: UInt16) -> Place {
      host.ip4.map { .ip4(host: $0, port: port) } ?? .ip6(host: host, port: port)
    }
  }

  let place: Place

  init(_ place: Place) {
    self.place = place
  }

  /// Reads `127.0.0.1:3569`, `[::1]:0`, `localhost:3569`, `:3569` or `unix:PATH`.
  ///
  /// Without a host it is 127.0.0.1. Port 0 lets the kernel choose. A name other than `localhost`
  /// can be connected to, not listened on.
  public init(parsing text: String) throws(TransportError) {
    if text.hasPrefix("unix:") {
      self.init(try Self.unix(text))
      return
    }
    guard let colon = text.lastIndex(of: ":") else {
      throw Self.error(text, "the port is missing, expected HOST:PORT or unix:PATH")
    }
    let host = String(text[..<colon])
    let port = try Self.port(text[text.index(after: colon)...], of: text)
    if host.hasPrefix("["), host.hasSuffix("]") {
      guard let address = IP6(String(host.dropFirst().dropLast())) else {
        throw Self.error(text, "the host is \"\(host)\", expected an IPv6 address in brackets")
      }
      self.init(.ip6(host: address, port: port))
    } else if host.isEmpty {
      self.init(.ip4(host: .loopback, port: port))
    } else if let address = IP4(host) {
      self.init(.ip4(host: address, port: port))
    } else if IP6(text) != nil || host.contains(":") {
      throw Self.error(text, "an IPv6 address needs brackets, as in [::1]:3569")
    } else if Self.isName(host) {
      self.init(.name(host, port: port))
    } else {
      throw Self.error(text, "the host is \"\(host)\", expected an address or a name")
    }
  }

  /// The port, or nil for a Unix socket.
  public var port: UInt16? {
    switch place {
    case .ip4(_, let port), .ip6(_, let port), .name(_, let port): port
    case .unix: nil
    }
  }

  /// Whether a host is an address, of IPv6 without brackets, rather than a name.
  package static func isNumeric(_ host: String) -> Bool { IP4(host) != nil || IP6(host) != nil }

  /// Whether only this machine can reach it.
  public var isLoopback: Bool {
    switch place {
    case .ip4(let host, _): host.isLoopback
    case .ip6(let host, _): host == .loopback
    case .name(let name, _): name.lowercased() == "localhost"
    case .unix: true
    }
  }

  /// The address as `init(parsing:)` reads it.
  public var description: String {
    switch place {
    case .ip4(let host, let port): "\(host):\(port)"
    case .name(let name, let port): "\(name):\(port)"
    case .ip6(let host, let port): "[\(host)]:\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }

  private static func unix(_ text: String) throws(TransportError) -> Place {
    let path = String(text.dropFirst("unix:".count))
    if path.isEmpty { throw error(text, "the path is missing, expected unix:PATH") }
    if path.utf8.contains(0) { throw error("unix:", "the path contains a zero byte") }
    if path.utf8.count > longestUnixPath {
      let count = path.utf8.count
      throw error(text, "the path has \(count) bytes; the limit is \(longestUnixPath)")
    }
    return .unix(path: path)
  }

  private static func port(
    _ digits: Substring,
    of text: String
  ) throws(TransportError) -> UInt16 {
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
      throw error(text, "the port is \"\(digits)\", expected 0 to 65535")
    }
    return port
  }

  private static func isName(_ host: String) -> Bool {
    let digits = host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    return !digits && host.utf8.count <= 253
      && host.utf8.allSatisfy {
        switch $0 {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
  }

  private static func error(_ text: String, _ reason: String) -> TransportError {
    TransportError(call: "address \"\(text)\"", message: reason)
  }
}
