internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

// FEED: all input is lines for one subject.
extension Client {
  func feed(_ name: String) throws(DefinitionError) {
    let subject = try engine.subjectToPublish(name, for: session.access)
    hint("feeding \(name); end with a line that is a single .")
    let feed = Feed(subject: subject, client: self)
    let held = hold(bytes: 0) { [weak feed] _ in
      .ok(.feed(name: name, feed?.figuresSoFar ?? FeedFigures()))
    }
    input = .feed(feed, held)
  }

  /// Skips the lines of a refused FEED, which must not run as commands.
  func skipLines() {
    hint("its lines are skipped, up to a line that is a single .")
    input = .skippedFeed(SkippedFeed(limit: engine.configuration.valueLimit))
  }

  private func skipLines(_ buffer: UnsafeRawBufferPointer, _ offset: inout Int) -> Bool {
    guard case .skippedFeed(let skipped) = input else { return true }
    guard unsafe skipped.skip(buffer, &offset) else { return false }
    finishSkipping()
    return true
  }

  func finishSkipping() {
    guard case .skippedFeed(let skipped) = input else { return }
    input = .commands
    hint("lines skipped: \(skipped.count)")
  }

  /// Passes input to the FEED, if there is one; false while it wants more.
  func receiveFeed(
    _ buffer: UnsafeRawBufferPointer,
    _ offset: inout Int,
    _ turn: inout InputTurn
  ) -> Bool {
    guard let feed else { return unsafe skipLines(buffer, &offset) }
    let batch = engine.batch
    while waits.isEmpty {
      guard turn.hasTimeLeft else {
        waitForTurn()
        return false
      }
      if case let room = feed.roomForBatch(), room > 0 {
        unsafe feed.decoder.next(buffer, &offset, into: batch, limit: room)
        if batch.count > 0 {
          let taken = feed.receive(batch)
          turn.count(taken)
          if taken < batch.count { offset = unsafe batch.offset(of: taken, in: buffer) }
          continue
        }
      }
      turn.count(1)
      switch unsafe feed.decoder.next(buffer, &offset) {
      case .incomplete: return false
      case .value(let line): unsafe feed.receive(UnsafeRawBufferPointer(rebasing: buffer[line]))
      case .tooLong: feed.refuse(.valueTooLong)
      case .end:
        finishFeed()
        streamEnded()
        return true
      }
    }
    return false
  }

  func finishFeed() {
    guard case .feed(let feed, let held) = input else { return }
    input = .commands
    feed.finish()
    let name = feed.subject.name
    feed.whenSettled { [weak self] in self?.answer(held, .ok(.feed(name: name, feed.figures))) }
  }

  func endFeedAndInput() {
    finishFeed()
    endInput(cut: false)
  }
}

// TAIL: all output is payloads of one stream.
extension Client {
  func tail(_ expression: Expression) throws(DefinitionError) {
    guard open.count == 0, anyExtras?.heldAnswers.isEmpty != false else {
      let text = "this one has open streams or waits for an answer"
      throw DefinitionError(.usage, "TAIL needs a connection of its own; \(text)")
    }
    let pipeline = try engine.pipeline(expression, for: session.access)
    try engine.checkUse(of: pipeline, for: session.access)
    tail(expression.text, pipeline)
  }

  /// Closes after a refused TAIL, because a client that reads raw lines would take ERR for a value.
  func endAfterRefusedTail() {
    ending = .inputEnded
    wind(endless: true)
  }

  private func tail(_ text: String, _ pipeline: Pipeline) {
    let stream = ClientSubscription(
      id: open.freeID,
      name: engine.registry[text] == nil ? "-" : text,
      client: self,
      window: engine.configuration.demand.window,
      take: nil,
      isRaw: true
    )
    stream.flow = flow(of: stream, on: pipeline)
    ending = .tailing
    anyExtras?.webSocket?.beginRaw(at: connection.written)
    open.open(stream.id, .subscription(stream))
    stream.raise(.unlimited)
    start(stream, on: pipeline)
  }
}
