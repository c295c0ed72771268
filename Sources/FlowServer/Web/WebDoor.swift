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
  private lazy var proxyDoor = ProxyDoor(engine: engine)
  private var connections: [ObjectIdentifier: WebConnection] = [:]
  /// How many requests there were, by what was asked for and the status.
  private(set) var requests: [Request: Int] = [:]
  private var trials = 0

  struct Request: Hashable {
    let path: String
    let status: Int
  }

  /// Where a connection comes from.
  enum Origin {
    /// A TCP address, which browsers can reach.
    case address
    /// A Unix socket, which browsers cannot reach.
    case socketFile
    /// A proxy; `certificate` is the name in the client certificate that it has verified, if any.
    case proxy(certificate: String?)

    var certificate: String? { if case .proxy(let name) = self { name } else { nil } }
  }

  /// How many may be connected for answers, and how many of these may be told events.
  ///
  /// A further connection is always accepted: the one that has waited longest for a whole request is closed.
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
    let origin = socket.address.port == nil ? Origin.socketFile : .address
    let accept = { [unowned self] (connection: Connection, isLast: Bool) in
      makeRoom()
      if behindProxy {
        proxyDoor.accept(connection) { [unowned self, unowned connection] header in
          admit(connection, from: .proxy(certificate: header.certificateName), isLast: isLast)
        }
      } else {
        admit(connection, from: origin, isLast: isLast)
      }
    }
    let listener = try engine.loop.listen(
      with: socket,
      makeRoom: { [unowned self] in closeLongest(waitingFor: Self.patience) },
      acceptLast: { accept($0, true) },
      accept: { accept($0, false) }
    )
    if behindProxy { proxyListeners.append(listener) } else { listeners.append(listener) }
    return listener.address
  }

  /// How many connections wait until a proxy has said for whom they are.
  var countOfUnannounced: Int { proxyDoor.count }

  private func admit(_ connection: Connection, from origin: Origin, isLast: Bool) {
    let web = WebConnection(connection, from: origin, isLast: isLast, door: self)
    connection.handler = web
    connections[ObjectIdentifier(web)] = web
    web.begin()
  }

  // MARK: Room

  /// How long a connection has waited at least when it is closed because descriptors ran out, in nanoseconds.
  ///
  /// The requests of connections that wait in the kernel's queue have usually arrived already.
  private static let patience: Int64 = 5_000_000

  /// Closes a connection if there is no room for another one.
  private func makeRoom() {
    guard connections.count + proxyDoor.count >= Self.mostConnections else { return }
    _ = closeLongest(waitingFor: 0)
  }

  /// Closes the connection that has waited longest, if at least `time` nanoseconds; returns whether it did.
  private func closeLongest(waitingFor time: Int64) -> Bool {
    let limit = engine.now - time
    let web = connections.values.filter(\.isWaiting).min { $0.waitingSince < $1.waitingSince }
    if let since = proxyDoor.longestWait, since <= web?.waitingSince ?? .max {
      guard since <= limit else { return false }
      proxyDoor.closeLongest()
      return true
    }
    guard let web, web.waitingSince <= limit else { return false }
    remove(web)
    web.close()
    return true
  }

  /// The connection is no longer one for answers: it has ended, or become a session.
  func remove(_ web: WebConnection) { connections[ObjectIdentifier(web)] = nil }

  /// Forgets a closed connection, and lets the listeners open their spare descriptors again.
  func handleClose(of web: WebConnection) {
    remove(web)
    for listener in listeners + proxyListeners { listener.renewSpare() }
  }

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

  /// Whether `host` is a name of this server.
  ///
  /// A name that an attacker has made point here is not: a page by that name could then read this one.
  func knows(host: String, from origin: Origin) -> Bool {
    // No name leads a browser to a socket file.
    if case .socketFile = origin { return true }
    guard let (name, port) = Self.parts(host) else { return false }
    if name == "localhost" || name.hasSuffix(".localhost") || SocketAddress.isNumeric(name) {
      return true
    }
    if name == engine.loop.platform.hostName.lowercased() { return true }
    // Some proxies leave the port out of `host`; an origin without a port allows every port.
    return engine.configuration.webOrigins.contains { origin in
      guard let scheme = origin.firstRange(of: "://"),
        let known = Self.parts(String(origin[scheme.upperBound...])), known.name == name
      else { return false }
      return known.port.isEmpty || port.isEmpty || known.port == port
    }
  }

  /// Whether a page of this `Origin` may open a session, asked by this `Host`.
  func allows(origin: String, host: String) -> Bool {
    if engine.configuration.webOrigins.contains(origin) { return true }
    let origin = origin.lowercased()
    return ["http://", "https://"].contains { origin == $0 + host.lowercased() }
  }

  /// The parts of `NAME` or `NAME:PORT`, in small letters and without the brackets of an IPv6 address; nil if
  /// malformed.
  private static func parts(_ host: String) -> (name: String, port: Substring)? {
    let host = host.lowercased()
    var name = host[...]
    if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") { name = host[..<colon] }
    let rest = host[name.endIndex...]
    guard rest.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    guard name.hasPrefix("[") else { return (String(name), rest.dropFirst()) }
    guard name.hasSuffix("]") else { return nil }
    return (String(name.dropFirst().dropLast()), rest.dropFirst())
  }
}
