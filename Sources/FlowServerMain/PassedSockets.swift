import FlowTransport
import Glibc

/// Listening sockets that systemd opened for the server; see `sd_listen_fds(3)`.
///
/// While the server restarts, clients wait in the sockets' queues.
package struct PassedSockets: Sendable {
  /// The protocol of a socket; the raw value is the name that systemd passes.
  enum Role: String, CaseIterable {
    case flow, proxy, http
    case httpProxy = "http-proxy"

    var summary: String {
      switch self {
      case .flow: "a place to listen, as --listen names one; so are those without a name"
      case .proxy: "a place for a proxy, as --listen-proxy names one"
      case .http: "a place for the page, as --http names one"
      case .httpProxy: "a place for a proxy in front of the page, as --http-proxy names one"
      }
    }
  }

  private let sockets: [(role: Role, socket: any ListeningSocket)]

  static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

  package init() { sockets = [] }

  /// Finds the sockets that `environment` passes to `process`; the first descriptor is `first`.
  init(
    _ environment: [String: String],
    process: Int32 = getpid(),
    first: Int32 = 3
  ) throws(StartError) {
    guard environment["LISTEN_PID"] == "\(process)", let text = environment["LISTEN_FDS"] else {
      sockets = []
      return
    }
    guard let count = Int32(text), count >= 0 else {
      throw Self.refusal("LISTEN_FDS is \"\(text)\", expected how many sockets were passed")
    }
    let names = environment["LISTEN_FDNAMES"]?.split(
      separator: ":",
      omittingEmptySubsequences: false
    )
    if let names, names.count != count {
      throw Self.refusal("LISTEN_FDNAMES names \(names.count) sockets, LISTEN_FDS says \(count)")
    }
    var sockets: [(Role, any ListeningSocket)] = []
    for index in 0..<count {
      let descriptor = first + index
      let name = names.map { String($0[Int(index)]) } ?? ""
      do throws(TransportError) {
        let socket = try SystemPlatform.listener(passed: descriptor)
        sockets.append((try Self.role(named: name, of: descriptor), socket))
      } catch {
        let place = name.isEmpty ? "" : " (\"\(name)\")"
        throw Self.refusal("cannot use the socket\(place) that was passed as \(error)")
      }
    }
    self.sockets = sockets
  }

  func sockets(for role: Role) -> [any ListeningSocket] {
    sockets.filter { $0.role == role }.map(\.socket)
  }

  // Systemd names a socket without a name after its unit.
  private static func role(
    named name: String,
    of descriptor: Int32
  ) throws(TransportError) -> Role {
    if let role = Role(rawValue: name) { return role }
    if name.isEmpty || name == "unknown" || name.hasSuffix(".socket") { return .flow }
    let names = Role.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
    throw TransportError(
      call: "fd \(descriptor)",
      message: "its name says nothing; write FileDescriptorName= with \(names)"
    )
  }

  private static func refusal(_ message: String) -> StartError {
    StartError(.badConfiguration, message)
  }
}
