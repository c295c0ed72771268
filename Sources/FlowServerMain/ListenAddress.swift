import FlowTransport

/// What can be told of an address to listen on from its text.
enum ListenAddress {
  /// Where a server listens that is told nothing.
  static let usual = ["127.0.0.1:3569", "[::1]:3569"]

  /// Where the demo listens if another program has the usual address.
  static let free = "127.0.0.1:0"

  /// Refuses what other machines can reach, unless that is wanted or tokens are asked for.
  static func check(_ addresses: [String], isOpen: Bool) throws(StartError) {
    for address in addresses {
      guard !isOpen, !(try parse(address).isLoopback) else { continue }
      throw StartError(
        .badConfiguration,
        "\(address) can be reached from other machines, and no token is required",
        advice: "use --token-file FILE, or --insecure-open if you trust the network"
      )
    }
  }

  /// Refuses to believe what others than a proxy of this machine say in a PROXY header, unless that is
  /// wanted.
  static func check(proxies: [String], isOpen: Bool) throws(StartError) {
    for address in proxies {
      guard !isOpen, !(try parse(address).isLoopback) else { continue }
      throw StartError(
        .badConfiguration,
        "\(address) can be reached from other machines, whose PROXY headers would be believed",
        advice: "use an address that only the proxy reaches, or --insecure-open if none else does"
      )
    }
  }

  private static func parse(_ address: String) throws(StartError) -> SocketAddress {
    do throws(TransportError) {
      return try SocketAddress(parsing: address)
    } catch {
      throw StartError(.usage, error.description)
    }
  }

  /// The page's address, as people type it into a browser.
  static func link(_ address: String) -> String {
    address.hasPrefix("unix:") ? address : "http://\(address)/"
  }

  /// A line of the ports file.
  static func portsLine(_ address: String) -> String {
    address.hasPrefix("unix:") ? "unix \(address.dropFirst(5))" : "tcp \(address)"
  }
}
