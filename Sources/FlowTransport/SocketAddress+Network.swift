extension SocketAddress {
  /// The network that one peer most likely has all of: an IPv4 address, or the first 64 bits of an
  /// IPv6 address.
  public struct Network: Hashable, Sendable {
    private let bits: UInt64
    private let isLong: Bool

    init(_ host: IP4) {
      bits = UInt64(host.bytes)
      isLong = false
    }

    init(_ host: IP6) {
      bits = host.high
      isLong = true
    }
  }

  /// The network; a Unix socket and a name have none.
  public var network: Network? {
    switch place {
    case .ip4(let host, _): Network(host)
    case .ip6(let host, _): Network(host)
    case .name, .unix: nil
    }
  }

  /// The host without a port or brackets; `unix` for a Unix socket.
  public var host: String {
    switch place {
    case .ip4(let host, _): host.description
    case .ip6(let host, _): host.description
    case .name(let name, _): name
    case .unix: "unix"
    }
  }
}
