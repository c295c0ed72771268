import FlowTransport
import Programs

/// The address of a server, as people write it.
enum ServerPlace {
  static let usualPort = 3569
  static let usual = "127.0.0.1:\(usualPort)"

  /// `HOST:PORT` or `unix:PATH`, of a text in which the port may be missing.
  ///
  /// `place` is where the text stands, for what is said when it is wrong.
  static func read(_ text: String, place: String) throws(UsageError) -> String {
    let address = hasPort(text) ? text : "\(text):\(usualPort)"
    do throws(TransportError) {
      _ = try SocketAddress(parsing: address)
    } catch {
      let isURL = text.contains("://")
      let isPort = UInt16(text) != nil
      let meant: String? = isURL ? host(ofURL: text) : isPort ? "127.0.0.1:\(text)" : nil
      throw UsageError(
        "\(place) is \"\(text)\", expected HOST, HOST:PORT or unix:PATH",
        advice: meant.map { "as in: flowclient -s \($0) list" } ?? error.message
      )
    }
    return address
  }

  /// The advice if no server answers at `server`.
  static func advice(unreachable server: String) -> String {
    guard let address = try? SocketAddress(parsing: server) else { return "" }
    if server == usual { return "start one: FlowServer demo" }
    if address.isLoopback { return "start one: FlowServer --listen \(server)" }
    return
      "is a FlowServer running there, with --listen \(address.port.map { "0.0.0.0:\($0)" } ?? "")?"
  }

  private static func hasPort(_ text: String) -> Bool {
    if text.hasPrefix("unix:") || text.isEmpty { return true }
    if text.hasPrefix("[") { return text.last != "]" }
    return text.contains(":")
  }

  /// The host and the port in a URL, as far as it has them.
  private static func host(ofURL text: String) -> String {
    let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
    let host = rest.prefix { !"/?#".contains($0) }
    return host.isEmpty ? "HOST" : String(host)
  }
}
