internal import FlowCore
internal import FlowTransport

/// Connections that a proxy makes, until it has said for whom each is; then they are let in.
final class ProxyDoor {
  @safe fileprivate unowned(unsafe) let engine: Engine  // memory 3
  private var arrivals: [ObjectIdentifier: Arrival] = [:]
  private var wrong = OncePerSecond()

  /// How long a proxy may take, in nanoseconds.
  static let patience: Int64 = 5_000_000_000

  init(engine: Engine) { self.engine = engine }

  /// How many have not said yet for whom they are.
  var count: Int { arrivals.count }

  /// Waits for the header of a connection; `letIn` then gives the connection its handler.
  func accept(_ connection: Connection, letIn: @escaping (ProxyHeader) -> Void) {
    let arrival = Arrival(connection, door: self, since: engine.now, letIn: letIn)
    connection.handler = arrival
    arrivals[ObjectIdentifier(arrival)] = arrival
    let date = engine.clock.now.advanced(by: .nanoseconds(Int(Self.patience)))
    engine.clock.schedule(after: date) { [weak self, weak arrival] in
      guard let self, let arrival, arrivals[ObjectIdentifier(arrival)] != nil else { return }
      refuse(arrival, "none came within \(Self.patience / 1_000_000_000) s")
    }
  }

  /// When the connection came that has waited longest.
  var longestWait: Int64? { arrivals.values.lazy.map(\.since).min() }

  /// Closes the connection that has waited longest.
  func closeLongest() {
    guard let arrival = arrivals.values.min(by: { $0.since < $1.since }) else { return }
    remove(arrival)
    arrival.connection.close()
  }

  /// Ends all of them: nobody was told anything yet.
  func close() {
    for arrival in arrivals.values { arrival.connection.close() }
    arrivals.removeAll()
  }

  fileprivate func remove(_ arrival: Arrival) { arrivals[ObjectIdentifier(arrival)] = nil }

  /// What came behind the header is given to whoever handles the connection then.
  fileprivate func letIn(_ arrival: Arrival, _ header: ProxyHeader) {
    remove(arrival)
    let connection = arrival.connection
    if let source = header.source { connection.peer = source }
    connection.pauseReading()
    connection.handler = nil
    arrival.letIn(header)
    connection.resumeReading()
  }

  fileprivate func refuse(_ arrival: Arrival, _ reason: String) {
    remove(arrival)
    let peer = arrival.connection.peer
    arrival.connection.close()
    guard let count = wrong.add(at: engine.now) else { return }
    let others = count == 1 ? "" : "; the last of \(count)"
    engine.log(
      .warning,
      "bad-proxy-header",
      "a connection from \(peer) was closed for want of a PROXY header: \(reason)\(others)",
      [.text("peer", "\(peer)"), .text("reason", reason), .number("count", count)]
    )
  }
}

/// A connection of which only the proxy is known.
private final class Arrival: ConnectionHandler {
  let connection: Connection
  private weak let door: ProxyDoor?
  /// When it came.
  let since: Int64
  let letIn: (ProxyHeader) -> Void

  init(
    _ connection: Connection,
    door: ProxyDoor,
    since: Int64,
    letIn: @escaping (ProxyHeader) -> Void
  ) {
    self.connection = connection
    self.door = door
    self.since = since
    self.letIn = letIn
  }

  func connection(_ connection: Connection, received buffer: UnsafeRawBufferPointer) -> Int {
    guard let door else { return buffer.count }
    switch unsafe ProxyHeader.read(Array(buffer.prefix(ProxyHeader.longest))) {
    case .incomplete: return 0
    case .header(let header, let length):
      door.letIn(self, header)
      return length
    case .broken(let reason):
      door.refuse(self, reason)
      return buffer.count
    }
  }

  /// One that says nothing at all is somebody who looks whether there is a server.
  func connectionInputEnded(_ connection: Connection) {
    if unsafe connection.unread.isEmpty {
      door?.remove(self)
      connection.close()
    } else {
      door?.refuse(self, "the connection ended within it")
    }
  }

  func connectionDrained(_ connection: Connection) {}

  func connectionClosed(_ connection: Connection, _ error: TransportError?) { door?.remove(self) }
}
