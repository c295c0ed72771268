internal import FlowCore
internal import FlowTransport
internal import FlowWire

/// Accepts connections, and closes all of them when the server stops.
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

  /// Connections behind a proxy whose PROXY header has not come yet.
  var countOfUnannounced: Int { proxyDoor.count }

  subscript(number: Int) -> Client? { clients[number] }

  /// All clients, in no order.
  var all: Dictionary<Int, Client>.Values { clients.values }

  /// All clients, in the order of connection.
  var inOrder: [Client] { clients.values.sorted { $0.id < $1.id } }

  /// The server's address for others on the same NATS: machine and port, or a socket's path.
  var place: String {
    let host = engine.loop.platform.hostName
    guard let address = listeners.first?.address else { return host }
    return address.port.map { "\(host):\($0)" } ?? "\(host):\(address)"
  }

  /// Accepts connections at `socket`; if it is `behindProxy`, each begins with a PROXY header.
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

  var isGoing: Bool { isStopping }

  private func hasRoom(besides others: Int = 0) -> Bool {
    !isStopping && count + others < engine.configuration.connections.limit && !engine.ledger.isFull
  }

  /// Waits for the PROXY header, or rejects the connection.
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

  /// Makes a client for a connection, or rejects it; a proxy has verified `certificate`.
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

  /// How often a closing connection gets more time while its peer still reads.
  private static let patience = 6

  /// Closes a connection in the end, even if its peer does not read the rest.
  func limitClosing(_ connection: Connection) {
    connection.flush()
    if connection.isBlocked { resetIfStuck(connection, rounds: Self.patience) }
  }

  private func resetIfStuck(_ connection: Connection, rounds: Int) {
    let unsent = connection.unsent
    let farewell = Int(engine.configuration.timeouts.farewell)
    let date = engine.clock.now.advanced(by: .nanoseconds(farewell))
    engine.clock.schedule(after: date) { [weak self, weak connection] in
      guard let self, let connection, connection.isFlushing else { return }
      guard rounds > 1, connection.unsent < unsent else { return connection.reset() }
      resetIfStuck(connection, rounds: rounds - 1)
    }
  }

  /// Rejects new connections, announces the end, and calls `done` when all clients are gone.
  ///
  /// Requested values are delivered for up to `drain` nanoseconds. A second call closes at once.
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

  /// Whether any client has a stream that may still get values.
  var haveStreams: Bool { clients.values.contains { $0.open.subscriptionCount > 0 } }

  /// Closes workers while draining, once no client waits for their answers.
  private func letWorkersGo() {
    guard !haveStreams else { return }
    for client in inOrder.filter({ $0.ending == .draining }) { client.finishIfDone() }
  }

  /// Closes all connections in this turn, with what the kernel takes at once.
  private func closeAll() {
    for client in inOrder {
      client.bye(.shutdown, "the server is shutting down")
      // A peer that reads still gets its BYE; the others are cut off.
      if client.connection.isBlocked { client.connection.close() }
    }
  }

  /// Ends at once, with the engine; no socket calls it afterwards.
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
