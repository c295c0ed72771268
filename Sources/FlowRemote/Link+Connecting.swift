import FlowTransport
import FlowWire
import Synchronization

// MARK: - From connecting to closing
extension Link {
  /// Connects and greets; calls `done` with the result of the first attempt.
  func start(_ done: @escaping @Sendable (Result<Greeting, RemoteError>) -> Void) {
    loop.post {
      if case .ended(let error) = self.phase { return done(.failure(error)) }
      self.started = done
      self.dial(after: .zero)
    }
  }

  func close() {
    perform { $0.end(.closed) }
  }

  private func dial(after delay: Duration) {
    let (attempt, address, patience) = (attempts.begin(), address, settings.patience)
    let platform = settings.platform
    platform.run(after: delay.inNanoseconds) { [weak self] in
      guard let self else { return }
      let outcome = platform.dial(address, patience: patience)
      loop.post { self.dialed(outcome, attempt) }
    }
  }

  private func dialed(_ outcome: Result<ConnectedSocket, RemoteError>, _ attempt: Int) {
    switch outcome {
    case .failure(let error):
      if attempts.number == attempt { lose(error) }
    case .success(let socket):
      let connection = loop.register(socket, handler: self)
      guard attempts.number == attempt, case .connecting = phase else { return connection.close() }
      keptAlive = self
      phase = .greeting(connection)
      limitGreeting(attempt)
    }
  }

  private func limitGreeting(_ attempt: Int) {
    settings.platform.run(after: settings.patience.inNanoseconds) { [weak self] in
      self?.perform { link in
        guard link.attempts.number == attempt, case .greeting = link.phase else { return }
        link.lose(.unresponsive("the server sent no greeting"))
      }
    }
  }

  /// Handles the server's greeting: sends `HELLO`, and opens all streams after its answer.
  func greeted(_ greeting: Greeting) {
    guard case .greeting(let connection) = phase else { return }
    longestLine = greeting.longestLine
    valueLimit.store(greeting.largestValue, ordering: .relaxed)
    if greeting.needsToken {
      guard let token = settings.token else { return end(.needsToken) }
      if token.utf8.contains(UInt8(ascii: "\n")) {
        return end(.usage("the token has a line break"))
      }
      authorize(token, on: connection)
    }
    let hello = Command.hello(version: "1", ping: nil, name: settings.name)
    // A new connection may take another route.
    roundTrip = nil
    let start = loop.now
    command(hello.bytes, on: connection) { [unowned self] answer in
      guard uses(connection) else { return }
      switch answer {
      case .success:
        measured(since: start)
        opened(connection, greeting)
      case .failure(let error): end(error)
      }
    }
  }

  /// Sends the token, hidden from traces.
  private func authorize(_ token: String, on connection: Connection) {
    pending.await { [unowned self] answer in
      if uses(connection), case .failure(let error) = answer { end(error) }
    }
    settings.trace?(RemoteTrace(isInput: false, line: "AUTH …"))
    connection.append(Command.auth(token).bytes)
  }

  private func opened(_ connection: Connection, _ greeting: Greeting) {
    phase = .open(connection)
    attempts.succeed(at: loop.now)
    if let started {
      self.started = nil
      started(.success(greeting))
    } else {
      for stream in streamsInOrder { stream.connectionRestored() }
      settings.stateChanged?(.connected)
    }
  }

  /// Opens a stream again after a second, if connected then: NATS was away, or another client had
  /// the subscription.
  func openLater(_ stream: any LinkStream & Sendable) {
    settings.platform.run(after: 1_000_000_000) { [weak self, weak stream] in
      guard let self, let stream else { return }
      perform { if $0.isOpen { stream.connectionRestored() } }
    }
  }

  func uses(_ connection: Connection) -> Bool {
    switch phase {
    case .greeting(let current), .open(let current): current === connection
    case .connecting, .ended: false
    }
  }

  /// Handles a lost connection; schedules another attempt if that may help.
  func lose(_ error: RemoteError) {
    if case .ended = phase { return }
    guard let backoff = settings.reconnect, started == nil, error.mayPass else {
      return end(error)
    }
    dropConnection()
    phase = .connecting
    for stream in streamsInOrder { stream.connectionLost() }
    for answer in takeUnanswered() { answer(.failure(error)) }
    let delay = attempts.fail(at: loop.now, backoff, on: settings.platform)
    settings.stateChanged?(.reconnecting(after: error, delay: delay))
    dial(after: delay)
  }

  /// Ends everything for good; only the first reason counts.
  func end(_ error: RemoteError) {
    if case .ended = phase { return }
    dropConnection()
    phase = .ended(error)
    attempts.begin()
    for answer in takeUnanswered() { answer(.failure(error)) }
    for stream in takeStreams() { stream.ended(error) }
    if let started {
      self.started = nil
      started(.failure(error))
    } else {
      settings.stateChanged?(.closed(error))
    }
  }

  private func dropConnection() {
    switch phase {
    case .greeting(let connection), .open(let connection):
      phase = .connecting
      connection.close()
    case .connecting, .ended: break
    }
    decoder = FrameDecoder(limits: .client)
  }
}
