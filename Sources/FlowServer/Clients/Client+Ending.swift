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
    // The last line may have to wait for room; the feed ends the input when it has found some.
    unsafe feed.endInput(with: connection.unread)
  }

  /// Goes on without further input; `cut` says that the last line had no end.
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

  /// How many streams have demand left, and how long `QUIT` waits for a value of one; nil if none has.
  private var awaitedByQuit: String? {
    let count = open.subscriptions.count(where: { $0.demand != .none && $0.demand != .unlimited })
    return count == 0
      ? nil : "streams=\(count) wait=\(Quantity.text(engine.configuration.linger))"
  }

  /// Tells the client that the server goes away, and lets it have what it has asked for.
  ///
  /// One that answers calls stays as long as any client is let have something.
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

  /// Whether there is something for the client, or from it, that does end.
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
      // No answers can come any more.
      for worker in open.workers { worker.leave() }
    }
    if open.subscriptions.contains(where: { $0.demand == .unlimited }) {
      connection.setKeepAlive(seconds: 1)
    }
    linger()
    finishIfDone()
  }

  /// Ends bounded streams to which no value has come for a while.
  func linger() {
    let limit = engine.configuration.linger
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

  /// The bounded streams that values may come to: not those of which NATS has not said whether there
  /// is one.
  private var lingering: [ClientSubscription] {
    open.subscriptions.filter {
      $0.demand != .unlimited && !$0.isOpening && anyExtras?.durables[$0.id]?.isOpening != true
    }
  }

  /// A stream's demand has been met: once no more input comes, that is its end.
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

  /// Whether an answer is being given or waited for, or what was published is still to go out.
  private var isGoingOn: Bool {
    guard let anyExtras else { return false }
    return anyExtras.pages != nil || !anyExtras.heldAnswers.isEmpty
      || !anyExtras.endedPublications.isEmpty
  }

  /// Whether nothing is open or under way.
  private var isIdle: Bool {
    open.subscriptionCount == 0 && open.publicationCount == 0 && feed == nil && !isGoingOn
  }

  /// Says why, and closes.
  func bye(_ code: ErrorCode, _ text: String) {
    guard ending != .closed else { return }
    finishFeed()
    answerHeld(code == .shutdown ? .draining : .noDemand)
    // Behind a TAIL's payloads it would be taken for one.
    guard ending != .tailing else { return closeAfterFlush() }
    engine.counters.count("BYE", code.rawValue)
    farewell = code
    signal(.bye(code: code.rawValue, text: text))
    closeAfterFlush()
  }

  /// Goes when the client has not said its token in time.
  func limitHandshake() {
    let limit = engine.configuration.handshake
    after(limit) { client in
      guard !client.session.access.isGranted else { return }
      client.bye(.auth, "no valid AUTH within \(limit / 1_000_000_000) s")
    }
  }

  /// Says something after a `period` in which nothing else was, and goes after three of them in
  /// which nothing came.
  func keepAlive(_ period: Int64, written: Int) {
    after(period) { client in
      // What is not read cannot be heard.
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

  /// Lets go of a peer that has vanished with something unanswered.
  func closeIfVanished() {
    if connection.isUnanswered(forSeconds: 120) { connection.reset() }
  }

  func closeIfIdle() {
    guard isIdle, open.serviceCount == 0 else { return }
    let limit = engine.configuration.idle
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

  /// Closes after what was said; a peer that has ended only its input reads that.
  func close() {
    release()
    connection.closeAfterFlush()
    engine.clients.limitClosing(connection)
    cancelStreams()
  }

  /// What it has sent and waits is still taken; what it reads would only hold up others.
  func connectionPeerVanished(_ connection: Connection) {
    for stream in open.subscriptions { stream.cancel() }
  }

  func connectionClosed(_ connection: Connection, _ error: TransportError?) {
    release()
    isGone = true
    cancelStreams()
  }

  /// Gives up all that the client has open, but for the streams that end with `cancelStreams`.
  private func release() {
    guard ending != .closed else { return }
    ending = .closed
    anyExtras?.pages = nil
    for stream in open.all {
      switch stream {
      case .subscription(let stream): if anyExtras?.durables[stream.id] != nil { stream.cancel() }
      case .publication(let publication): publication.abandon()
      case .service(let worker): worker.leave()
      }
    }
    for publication in anyExtras?.endedPublications ?? [] { publication.abandon() }
    for durable in anyExtras?.durables.values ?? [:].values { durable.leave() }
    for held in anyExtras?.heldAnswers ?? [] { held.forgetSend() }
    anyExtras?.heldAnswers.removeAll()
    feed?.abandon()
    input = .commands
    recent.subject = nil
  }

  /// Cancels the streams of a closed client, and removes it when its connection is gone too.
  ///
  /// What they hold may be so much that the rest has to wait for a later turn. Until then values come
  /// that go nowhere, as those do that are on their way when a connection breaks; behind a BYE there may
  /// be none, so that nothing else comes first.
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
