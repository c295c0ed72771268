/// Where the live page is to be served.
package enum WebPlace: Equatable {
  /// At the usual address. If that is taken, the demo takes a free port, and other servers have no page.
  case usual
  case at(String)
  case none

  static let usualAddress = "127.0.0.1:8569"

  /// Whether a text is what a browser says as `Origin`: a scheme and a host, and nothing behind them.
  static func isOrigin(_ text: String) -> Bool {
    for scheme in ["http://", "https://"] where text.hasPrefix(scheme) {
      let host = text.dropFirst(scheme.count)
      return !host.isEmpty && !host.contains { "/?#@ ".contains($0) }
    }
    return false
  }
}
