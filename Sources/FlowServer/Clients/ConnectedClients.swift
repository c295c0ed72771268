internal import FlowCore
internal import FlowTransport
internal import FlowWire

/// Who is connected: how connections come, and how all of them go when the server stops.
final class ConnectedClients {
  @safe private unowned(unsafe) let engine: Engine  // memory 3
  private var clients: [Int: Client] = [:]
  private var next = 1
  private var listeners: [Listener] = []
  var isListening: Bool { !listeners.isEmpty }
  private var rejected = RejectedConnections()
  private var isStopping = false
  private var whenEmpty: [@Sendable () -> Void] = []
  private lazy var proxyDoor = ProxyDoor(engine: engine)
  private lazy var idleWatch = IdleWatch(engine: engine)

  init(engine: Engine) { self.engine = engine }

  var count: Int { clients.count }

  /// How many connections wait until a proxy has said for whom they are.
  var countOfUnannounced: Int { proxyDoor.count }

  subscript(number: Int) -> Client? { clients[number] }

  /// In no order, for sums.
  var all: Dictionary<Int, Client>.Values { clients.values }

  /// First come first: what is done to all of them is done in order.
  var inOrder: [Client] { clients.values.sorted { $0.id < $1.id } }

  // MARK: Connections

  /// Where the server can be found first, as others on the same NATS are told: the machine and the port,
  /// or the path of a socket.
  var place: String {
    let host = engine.loop.platform.hostName
    guard let address = listeners.first?.address else { return host }
    return address.port.map { "\(host):\($0)" } ?? "\(host):\(address)"
  }

  /// Takes connections at `socket`; if it is `behindProxy`, each begins with a PROXY header.
  func listen(
    with socket: any ListeningSocket,
    behindProxy: Bool
  ) throws(TransportError) -> SocketAddress {
    let listener = try engine.loop.listen(
      with: socket,
      farewell: RejectedConnections.farewell,
      turnedAway: { [unowned self] in connectionRejected() },
      accept: { [unowned self] connection in
        if behindProxy { announce(connection) } else { accept(connection) }
      }
    )
    listeners.append(listener)
    return listener.address
  }

  private func connectionRejected() {
    engine.counters.count("BYE", ErrorCode.limit.rawValue)
    if let line = rejected.add(at: engine.now) { engine.log(.warning, "rejected", line) }
  }

  /// Whether the server goes away.
  var isGoing: Bool { isStopping }

  private func hasRoom(besides others: Int = 0) -> Bool {
    !isStopping && count + others < engine.configuration.connectionLimit && !engine.ledger.isFull
  }

  /// Waits for what a proxy says first, or turns the connection away.
  private func announce(_ connection: Connection) {
    guard hasRoom(besides: proxyDoor.count) else { return turnAway(connection) }
    proxyDoor.accept(connection) { [unowned self, unowned connection] header in
      accept(connection, certificate: header.certificateName)
    }
  }

  private func turnAway(_ connection: Connection) {
    let code: ErrorCode = isStopping ? .shutdown : .limit
    engine.counters.count("BYE", code.rawValue)
    connection.append(
      ServerLine.bye(code: code.rawValue, text: "no more connections are accepted").bytes
    )
    connection.closeAfterFlush()
  }

  /// Makes a client of a connection, or turns it away.
  ///
  /// A proxy has verified that the client has the `certificate` of that name.
  @discardableResult
  func accept(_ connection: Connection, certificate: String? = nil) -> Client? {
    guard hasRoom() else {
      turnAway(connection)
      return nil
    }
    let client = Client(id: next, connection: connection, engine: engine)
    if let certificate { client.take(certificate: certificate) }
    next += 1
    engine.counters.connections += 1
    clients[client.id] = client
    connection.handler = client
    client.greet()
    engine.notify(.connected(client: client.id, peer: connection.peer))
    idleWatch.begin()
    return client
  }

  func remove(_ client: Client) {
    guard clients.removeValue(forKey: client.id) != nil else { return }
    engine.notify(.closed(client: client.id, reason: client.farewell?.rawValue ?? "gone"))
    engine.releaseLater(client)
    if isStopping { letWorkersGo() }
    if clients.isEmpty { notifyEmpty() }
  }

  // MARK: Closing

  /// How often a closing connection is given time, if its peer goes on reading.
  private static let patience = 6

  /// Sees to it that a closing connection ends though its peer does not read.
  func limitClosing(_ connection: Connection) {
    connection.flush()
    if connection.isBlocked { look(at: connection, rounds: Self.patience) }
  }

  private func look(at connection: Connection, rounds: Int) {
    let unsent = connection.unsent
    let farewell = Int(engine.configuration.farewell)
    let date = engine.clock.now.advanced(by: .nanoseconds(farewell))
    engine.clock.schedule(after: date) { [weak self, weak connection] in
      guard let self, let connection, connection.isFlushing else { return }
      guard rounds > 1, connection.unsent < unsent else { return connection.reset() }
      look(at: connection, rounds: rounds - 1)
    }
  }

  // MARK: Stopping

  /// Takes no more connections, tells the present ones, and calls `done` when all are gone.
  ///
  /// What subscribers have asked for is delivered for up to `drain` nanoseconds. A second call
  /// waits for nobody.
  func stop(drain: Int64, then done: @escaping @Sendable () -> Void) {
    whenEmpty.append(done)
    guard !clients.isEmpty else {
      refuseMore()
      return notifyEmpty()
    }
    guard !isStopping else { return closeAll() }
    refuseMore()
    for client in inOrder { client.drain(seconds: drain / 1_000_000_000) }
    letWorkersGo()
    let clock = engine.clock
    clock.schedule(after: clock.now.advanced(by: .nanoseconds(Int(drain)))) { [weak self] in
      self?.closeAll()
    }
  }

  /// Whether any client has a stream open that values may still go out on.
  var haveStreams: Bool { clients.values.contains { $0.open.subscriptionCount > 0 } }

  /// While the server goes away: clients that only answer calls are needed as long as others wait.
  private func letWorkersGo() {
    guard !haveStreams else { return }
    for client in inOrder.filter({ $0.ending == .draining }) { client.finishIfDone() }
  }

  /// Ends all connections in this turn: their peers get what the kernel takes at once.
  private func closeAll() {
    for client in inOrder {
      client.bye(.shutdown, "the server is shutting down")
      // A peer that reads is left to its BYE; nobody waits for another.
      if client.connection.isBlocked { client.connection.close() }
    }
  }

  /// Ends at once, as the server goes: from then on no socket is the engine's.
  func end() {
    refuseMore()
    for client in inOrder {
      client.close()
      client.connection.close()
    }
  }

  private func refuseMore() {
    isStopping = true
    for listener in listeners { listener.close() }
    listeners.removeAll()
    proxyDoor.close()
  }

  private func notifyEmpty() {
    guard isStopping else { return tellEmpty() }
    engine.stores.stop { [weak self] in self?.tellEmpty() }
  }

  private func tellEmpty() {
    let waiting = whenEmpty
    whenEmpty.removeAll()
    for done in waiting { done() }
  }
}
