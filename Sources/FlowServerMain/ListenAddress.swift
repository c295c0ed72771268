import FlowTransport

/// Checks addresses to listen on by their text.
enum ListenAddress {
  /// The default addresses.
  static let usual = ["127.0.0.1:3569", "[::1]:3569"]

  /// The demo's address if the usual one is taken.
  static let free = "127.0.0.1:0"

  /// Refuses addresses that other machines can reach, unless `isOpen`.
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

  /// Refuses to trust PROXY headers from other machines, unless `isOpen`.
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

  /// The page's address, for a browser.
  static func link(_ address: String) -> String {
    address.hasPrefix("unix:") ? address : "http://\(address)/"
  }

  /// Returns a line of the ports file.
  static func portsLine(_ address: String) -> String {
    address.hasPrefix("unix:") ? "unix \(address.dropFirst(5))" : "tcp \(address)"
  }
}
