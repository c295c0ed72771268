/// Where the live page is served.
package enum WebPlace: Equatable {
  /// At the usual address. If that is taken, only the demo takes another one.
  case usual
  case at(String)
  case none

  static let usualAddress = "127.0.0.1:8569"

  /// Whether `text` is an `Origin` as a browser sends it: a scheme and a host.
  static func isOrigin(_ text: String) -> Bool {
    for scheme in ["http://", "https://"] where text.hasPrefix(scheme) {
      let host = text.dropFirst(scheme.count)
      return !host.isEmpty && !host.contains { "/?#@ ".contains($0) }
    }
    return false
  }
}
