internal import FlowHTTP
internal import FlowTransport
internal import FlowWire

/// The page's own addresses: who comes there, and how many may.
final class WebDoor {
  @safe unowned(unsafe) let engine: Engine  // memory 3
  let access: WebAccess
  private var listeners: [Listener] = []
  /// Where only proxies come.
  private var proxyListeners: [Listener] = []
  private lazy var proxyDoor = ProxyDoor(engine: engine) { [unowned self] connection, header in
    accept(connection, certificate: header.certificateName)
  }
  private var connections: [ObjectIdentifier: WebConnection] = [:]
  /// How many requests there were, by what was asked for and the status.
  private(set) var requests: [Request: Int] = [:]
  private var trials = 0

  struct Request: Hashable {
    let path: String
    let status: Int
  }

  /// How many may be connected for answers, and how many of these may be told events.
  static let mostConnections = 64
  static let mostStreams = 16
  /// How many trials may be worked out at a time.
  static let mostTrials = 2

  init(engine: Engine) {
    self.engine = engine
    access = WebAccess(engine: engine)
  }

  /// The port of the page, if it has one that browsers can go to.
  var port: UInt16? { listeners.lazy.compactMap(\.address.port).first }

  /// Takes connections at `socket`; if it is `behindProxy`, each begins with a PROXY header.
  func listen(
    with socket: any ListeningSocket,
    behindProxy: Bool
  ) throws(TransportError) -> SocketAddress {
    let listener = try engine.loop.listen(with: socket) { [unowned self] connection in
      if behindProxy, hasRoom { proxyDoor.accept(connection) } else { accept(connection) }
    }
    if behindProxy { proxyListeners.append(listener) } else { listeners.append(listener) }
    return listener.address
  }

  /// How many connections wait until a proxy has said for whom they are.
  var countOfUnannounced: Int { proxyDoor.count }

  private var hasRoom: Bool { connections.count + proxyDoor.count < Self.mostConnections }

  private func accept(_ connection: Connection, certificate: String? = nil) {
    let web = WebConnection(connection, certificate: certificate, door: self)
    connection.handler = web
    guard hasRoom else {
      return web.refuse(503, "there are \(Self.mostConnections) connections already")
    }
    connections[ObjectIdentifier(web)] = web
    web.begin()
  }

  /// The connection is no longer one for answers: it has ended, or become a session.
  func remove(_ web: WebConnection) { connections[ObjectIdentifier(web)] = nil }

  /// How many are connected for answers.
  var connectionCount: Int { connections.count }

  /// How many are told events now.
  var streamCount: Int { connections.values.count { $0.isStream } }

  /// Takes a place for a trial, if there is one.
  func beginTrial() -> Bool {
    guard trials < Self.mostTrials else { return false }
    trials += 1
    return true
  }

  func endTrial() { trials -= 1 }

  func count(_ path: String, _ status: Int) {
    requests[Request(path: path, status: status), default: 0] += 1
  }

  /// The tokens were replaced: whoever has one that is gone is told nothing more.
  func follow(_ places: [Int?]) {
    access.follow(places)
    for web in connections.values where !web.follow(places) { web.close() }
  }

  /// Takes no more connections; those that are open are of no use without the server.
  func stop() {
    for listener in listeners + proxyListeners { listener.close() }
    listeners.removeAll()
    proxyListeners.removeAll()
    proxyDoor.close()
  }

  func end() {
    stop()
    for web in connections.values { web.close() }
  }

  // MARK: Who may ask

  /// Whether a request by this `Host` is meant for the page: a name that somebody has made point here
  /// is not, since a page of his could then read this one.
  func knows(host: String) -> Bool {
    let name = Self.name(host)
    if name == "localhost" || name.hasSuffix(".localhost") || SocketAddress.isNumeric(name) {
      return true
    }
    if listeners.contains(where: { $0.address.port == nil }) { return true }
    if name == engine.loop.platform.hostName.lowercased() { return true }
    return engine.configuration.webOrigins.contains { Self.name(Self.host($0)) == name }
  }

  /// Whether a page of this `Origin` may open a session, asked by this `Host`.
  func allows(origin: String, host: String) -> Bool {
    if engine.configuration.webOrigins.contains(origin) { return true }
    let origin = origin.lowercased()
    return ["http://", "https://"].contains { origin == $0 + host.lowercased() }
  }

  /// `HOST:PORT` of `http://HOST:PORT`.
  private static func host(_ origin: String) -> String {
    origin.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? ""
  }

  /// The name in `NAME:PORT`, without the brackets of an IPv6 address.
  private static func name(_ host: String) -> String {
    var name = host.lowercased()
    if name.hasPrefix("["), let end = name.firstIndex(of: "]") {
      return String(name[name.index(after: name.startIndex)..<end])
    }
    if let colon = name.lastIndex(of: ":") { name = String(name[..<colon]) }
    return name
  }
}
