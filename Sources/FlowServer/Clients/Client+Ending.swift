internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

extension Client {
  func connectionInputEnded(_ connection: Connection) {
    if isWebSocket, feed == nil, ending != .closed { return close() }
    switch ending {
    case .no, .draining: break
    case .tailing: return session.isInteractive ? connection.setKeepAlive(seconds: 1) : close()
    case .inputEnded, .quit, .closed: return
    }
    guard let feed else {
      let isCut = unsafe isCommanded && !connection.unread.isEmpty
      finishSkipping()
      return endInput(cut: isCut)
    }
    // The last line may wait for room; the feed then ends the input.
    unsafe feed.endInput(with: connection.unread)
  }

  /// Handles the end of input; `cut` says that the last line had no end.
  func endInput(cut: Bool) {
    guard session.isInteractive, !isWebSocket else { return close() }
    if cut {
      session.beginUntagged()
      refuse(.usage, "the last line has no line end and was not run")
    }
    ending = .inputEnded
    wind(endless: false)
  }

  func quit(now: Bool) {
    answer(.plain(.quit, now ? nil : awaitedByQuit))
    ending = .quit
    if now { bye(.quit, "bye") } else { wind(endless: true) }
  }

  /// How many streams have demand left, and how long QUIT waits for a value; nil if none has.
  private var awaitedByQuit: String? {
    let count = open.subscriptions.count(where: { $0.demand != .none && $0.demand != .unlimited })
    return count == 0
      ? nil : "streams=\(count) wait=\(Quantity.text(engine.configuration.timeouts.linger))"
  }

  /// Announces the shutdown, and delivers what the client has requested.
  ///
  /// A worker stays as long as any client still expects something.
  func drain(seconds: Int64) {
    guard ending != .closed else { return }
    session.isDraining = true
    guard ending != .tailing, isAwaiting || open.serviceCount > 0 else {
      return bye(.shutdown, "the server is shutting down")
    }
    signal(.drain(seconds: UInt64(seconds)))
    if ending == .no {
      ending = .draining
      for publication in open.publications { sendCancel(publication, .draining) }
    }
    wind(endless: true)
  }

  /// Whether the client expects or has sent something that will end.
  private var isAwaiting: Bool {
    feed != nil || isGoingOn
      || open.subscriptions.contains { $0.demand != .none }
      || open.publications.contains { $0.held > 0 }
  }

  /// Ends what has no end of its own, and waits for the rest.
  func wind(endless: Bool) {
    for stream in open.subscriptions
    where stream.demand == .none || (endless && stream.demand == .unlimited) {
      if ending == .draining { stream.wind() } else { stream.cancel() }
    }
    for publication in open.publications { end(publication, .failure(Publication.lost)) }
    if ending != .draining {
      // No more answers can come.
      for worker in open.workers { worker.leave() }
    }
    if open.subscriptions.contains(where: { $0.demand == .unlimited }) {
      connection.setKeepAlive(seconds: 1)
    }
    linger()
    finishIfDone()
  }

  /// Ends bounded streams that have had no value for a while.
  func linger() {
    let limit = engine.configuration.timeouts.linger
    guard let oldest = lingering.map(\.lastValue).max() else { return }
    let wait = max(0, oldest + limit - engine.now)
    after(max(wait, 1)) { client in
      for stream in client.lingering where stream.lastValue + limit <= client.engine.now {
        stream.cancel()
      }
      client.linger()
      client.finishIfDone()
    }
  }

  /// Bounded streams that may get values; not those whose subject NATS has not confirmed.
  private var lingering: [ClientSubscription] {
    open.subscriptions.filter {
      $0.demand != .unlimited && !$0.isOpening && anyExtras?.durables[$0.id]?.isOpening != true
    }
  }

  /// Ends the stream whose demand is met, if no more input can come.
  func streamMetDemand(_ stream: ClientSubscription) {
    guard ending != .no else { return }
    stream.cancel()
    scheduleEndOfTurn()
  }

  func streamEnded() {
    if ending != .no { scheduleEndOfTurn() }
  }

  func finishIfDone() {
    switch ending {
    case .no, .closed: break
    case _ where !isIdle: break
    case .quit: bye(.quit, "bye")
    case .draining:
      if open.serviceCount == 0 || !engine.clients.haveStreams {
        bye(.shutdown, "the server is shutting down")
      }
    case .inputEnded, .tailing: closeAfterFlush()
    }
  }

  /// Whether an answer is pending, or published values still have to go out.
  private var isGoingOn: Bool {
    guard let anyExtras else { return false }
    return anyExtras.pages != nil || !anyExtras.heldAnswers.isEmpty
      || !anyExtras.endedPublications.isEmpty
  }

  /// Whether nothing is open or pending.
  private var isIdle: Bool {
    open.subscriptionCount == 0 && open.publicationCount == 0 && feed == nil && !isGoingOn
  }

  func bye(_ code: ErrorCode, _ text: String) {
    guard ending != .closed else { return }
    finishFeed()
    answerHeld(code == .shutdown ? .draining : .noDemand)
    // After a TAIL's payloads, BYE would look like one.
    guard ending != .tailing else { return closeAfterFlush() }
    engine.counters.count("BYE", code.rawValue)
    farewell = code
    signal(.bye(code: code.rawValue, text: text))
    closeAfterFlush()
  }

  /// Closes the connection if the client has not sent its token in time.
  func limitHandshake() {
    let limit = engine.configuration.timeouts.handshake
    after(limit) { client in
      guard !client.session.access.isGranted else { return }
      client.bye(.auth, "no valid AUTH within \(limit / 1_000_000_000) s")
    }
  }

  /// Sends a PING after each quiet `period`, and closes after three without input.
  func keepAlive(_ period: Int64, written: Int) {
    after(period) { client in
      // Input is not read while the connection waits, so it cannot count.
      if !client.waits.isEmpty { client.lastInput = client.engine.now }
      if client.engine.now - client.lastInput >= 3 * period {
        return client.bye(.idle, "nothing received for \(3 * period / 1_000_000_000) s")
      }
      if client.connection.written == written, client.connection.unsent == 0 {
        client.signal(.pong(nil), tag: "!")
      }
      client.keepAlive(period, written: client.connection.written)
    }
  }

  /// Closes if the peer has vanished with something unanswered.
  func closeIfVanished() {
    if connection.isUnanswered(forSeconds: 120) { connection.reset() }
  }

  func closeIfIdle() {
    guard isIdle, open.serviceCount == 0 else { return }
    let limit = engine.configuration.timeouts.idle
    if engine.now - lastInput >= limit {
      bye(.idle, "nothing received for \(limit / 1_000_000_000) s")
    }
  }

  func closeAfterFlush() {
    release()
    cancelStreams(beforeAnythingElse: true)
    connection.closeAfterFlush()
    engine.clients.limitClosing(connection)
  }

  /// Closes after the written output; a peer that ended only its input still reads that.
  func close() {
    release()
    connection.closeAfterFlush()
    engine.clients.limitClosing(connection)
    cancelStreams()
  }

  /// Takes what the peer had sent, and drops what it would have read.
  func connectionPeerVanished(_ connection: Connection) {
    for stream in open.subscriptions { stream.cancel() }
  }

  func connectionClosed(_ connection: Connection, _ error: TransportError?) {
    release()
    isGone = true
    cancelStreams()
  }

  /// Releases everything that is open, except streams, which `cancelStreams` ends.
  private func release() {
    guard ending != .closed else { return }
    ending = .closed
    anyExtras?.pages = nil
    for stream in open.all {
      switch stream {
      case .subscription(let stream): if anyExtras?.durables[stream.id] != nil { stream.cancel() }
      case .publication(let publication): publication.ownerIsLost()
      case .service(let worker): worker.leave()
      }
    }
    for publication in anyExtras?.endedPublications ?? [] { publication.ownerIsLost() }
    let durables = anyExtras?.durables.sorted { $0.key < $1.key } ?? []
    for (_, durable) in durables { durable.leave() }
    for held in anyExtras?.heldAnswers ?? [] { held.forgetSend() }
    anyExtras?.heldAnswers.removeAll()
    feed?.abandon()
    input = .commands
    recent.subject = nil
  }

  /// Cancels the streams of a closed client, and removes it when its connection is gone.
  ///
  /// Freeing their values may take several turns; values that arrive meanwhile are dropped. After a
  /// BYE no value may follow, so `isAtOnce` does it first.
  private func cancelStreams(beforeAnythingElse isAtOnce: Bool = false) {
    if open.subscriptionCount > 0 {
      let slice = engine.timeSlice
      let begun = slice.now
      for stream in open.subscriptions {
        stream.cancel()
        if !isAtOnce, slice.now &- begun > slice.limit, open.subscriptionCount > 0 {
          return slice.waitBehind { [self] in cancelStreams() }
        }
      }
    }
    if isGone { engine.clients.remove(self) }
  }
}
