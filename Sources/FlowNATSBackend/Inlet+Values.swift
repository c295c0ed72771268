internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowServer
internal import FlowSubjects
internal import FlowWire

// Values from the stream, on their way to the subscriptions.

extension Inlet: NATSConsumer {
  func received(_ value: NATSValue) {
    guard let arrival = state.arrive(value.sequence) else { return }
    pulls.hear(now)
    pulls.remove(1)
    shared.shared.counters.valuesIn += 1
    shared.scheduleEndOfTurn()
    switch arrival {
    case .again: return unsafe comesAgain(value.sequence, value.ack)
    case .gap: return renew()
    case .next(let count):
      if count > 0 { missed(count) }
      guard state.phase == .open else { return }
    }
    shared.room.received(value.sequence, pending: value.pending)
    if let end = value.end, unsafe isEnd(at: value.subject) {
      let text = unsafe String(decoding: value.payload, as: UTF8.self)
      return finish(ServerSubject.Completion(line: "\(end) \(text)"))
    }
    if unsafe repetitions.isOne(
      message: value.messageID,
      batch: value.batchID,
      isOfFlow: value.isOfFlow
    ) {
      return unsafe leftOut(value.sequence, value.ack)
    }
    guard unsafe value.payload.count <= shared.engine.configuration.valueLimit else {
      tooLong += 1
      return unsafe leftOut(value.sequence, value.ack)
    }
    if let reader, reader.acknowledges {
      unsafe hold(value.sequence, value.ack)
      reader.comes(value.sequence, unsafe value.payload.count)
    }
    unsafe publish(value.payload, value.sequence, value.ack)
  }

  private func publish(
    _ payload: UnsafeRawBufferPointer,
    _ sequence: UInt64,
    _ ack: UnsafeRawBufferPointer
  ) {
    guard let publication else { return }
    let mayPublish = backlog.overflow.isEmpty && !leavesToLaterTurn()
    let outcome = mayPublish ? unsafe publication.publish(payload) : .full
    switch outcome {
    case .sent, .dropped, .cancelled: unsafe wentOut(sequence, ack)
    case .held: unsafe wait(sequence, ack)
    case .full:
      unsafe backlog.overflow.append(Array(payload))
      unsafe wait(sequence, ack)
    }
  }

  /// Whether a value must wait for a later turn; schedules that turn.
  private func leavesToLaterTurn() -> Bool {
    let timeSlice = shared.engine.timeSlice
    guard reader?.takesAtOnce == true, timeSlice.isOver else { return false }
    if !isPaced {
      isPaced = true
      timeSlice.waitBehind { [weak self] in
        self?.isPaced = false
        self?.publishBacklog(isTurn: true)
      }
    }
    return true
  }

  /// Records that all subscriptions have a value.
  private func wentOut(_ sequence: UInt64, _ ack: UnsafeRawBufferPointer) {
    guard acknowledges else { return }
    if let reader, reader.acknowledges { return reader.handed(sequence) }
    unsafe acks.wentOut(ack)
  }

  /// Records that a value waits for room.
  private func wait(_ sequence: UInt64, _ ack: UnsafeRawBufferPointer) {
    acks.leaveOut(nil)
    unsafe backlog.waiting.append((sequence, Array(ack)))
  }

  /// Acknowledges the reader's values up to `sequence`.
  func acknowledge(upTo sequence: UInt64) {
    tell(unacknowledged?.acknowledge(upTo: sequence))
  }

  private func tell(_ ack: [UInt8]?) {
    guard let ack else { return }
    acks.wentOut(ack)
    shared.scheduleEndOfTurn()
  }

  /// Records a value that the reader will acknowledge.
  private func hold(
    _ sequence: UInt64,
    _ ack: UnsafeRawBufferPointer,
    isLeftOut: Bool = false
  ) {
    tell(unsafe unacknowledged?.come(sequence, Array(ack), isLeftOut: isLeftOut))
  }

  /// Records that the reader gets a value again through a new consumer.
  private func comesAgain(_ sequence: UInt64, _ ack: UnsafeRawBufferPointer) {
    if reader?.acknowledges == true { unsafe hold(sequence, ack) }
  }

  /// Records an undelivered value, which is acknowledged after those before it.
  private func leftOut(_ sequence: UInt64, _ ack: UnsafeRawBufferPointer) {
    if reader?.acknowledges == true {
      unsafe hold(sequence, ack, isLeftOut: true)
    } else if backlog.waiting.isEmpty {
      unsafe wentOut(sequence, ack)
    } else {
      unsafe acks.leaveOut(Array(ack))
    }
  }

  /// Counts values that were deleted before this server read them.
  private func missed(_ count: UInt64) {
    guard shared.isLossless, reader?.holdsUp != true else { return dropped(count) }
    let gap = noteGap(count)
    subject.forEachOutlet { if !$0.holds { $0.missed(gap, .gap) } }
    failAll("\(count) values of \(shared.name) were dropped while this server was away")
  }

  /// Reports deleted values to the subscriptions, which go on.
  func dropped(_ count: UInt64) {
    let count = noteGap(count)
    subject.forEachOutlet { $0.missed(count, .gap) }
  }

  @discardableResult
  private func noteGap(_ count: UInt64) -> Int {
    let count = Int(clamping: count)
    gaps += count
    shared.shared.counters.gaps += count
    return count
  }

  /// Whether the message here is the subject's end; any client may send values with such headers.
  private func isEnd(at place: UnsafeRawBufferPointer) -> Bool {
    unsafe place.elementsEqual(shared.names.end(shared.name).utf8)
  }

  /// Ends the subject if all values were read and the stream's settings hold the end.
  func finishIfRead() {
    guard state.phase == .open, case .settings(let completion, let last)? = shared.end,
      let expected, expected > last, subject.completion == nil
    else { return }
    finish(completion)
  }

  /// Ends the subject, after the waiting values.
  private func finish(_ completion: ServerSubject.Completion) {
    guard backlog.waiting.isEmpty else {
      backlog.end = completion
      return
    }
    guard consumers == nil else { return subject.complete(completion) }
    shared.ended(completion)
    close {}
  }

  func received(_ status: NATSHeaders.Status, pending: Int) {
    guard state.phase == .open else { return }
    pulls.hear(now)
    switch status.code {
    case 100: break
    case 404: setWaiting(false)
    case 409 where status.text.hasPrefix("Message Size Exceeds"): setWaiting(true)
    case 408: notComing(pending)
    case 409 where status.text.hasPrefix("Exceeded"): notComing(pending)
    default: renew()
    }
  }

  private func notComing(_ count: Int) {
    pulls.remove(count)
    shared.scheduleEndOfTurn()
  }

  /// Records whether a value waits in the stream for room here.
  private func setWaiting(_ waits: Bool) {
    guard outstanding == 0, subject.isLossless else { return }
    // It may be the end, which may not have been announced.
    if waits { shared.findEnd() }
    subject.setWaiting(elsewhere: waits)
    pulls.lag(waits, since: now)
  }
}

extension Inlet: PublicationOwner {
  /// The subject itself accounts for waiting values.
  var account: Account? { nil }

  func publication(_ publication: Publication, isGranted count: Int) {
    shared.scheduleEndOfTurn()
  }

  /// Never called: values without room are held.
  func publication(_ publication: Publication, dropped count: Int) {}

  func publication(_ publication: Publication, isCancelledFor reason: ErrorCode) {
    self.publication = nil
  }

  func publicationHasCredit(_ publication: Publication) {
    valueWentOut()
    publishBacklog()
  }

  /// Publishes waiting values, and then the end; in a later turn (`isTurn`) at least one value.
  private func publishBacklog(isTurn: Bool = false) {
    takeOverflow(isTurn)
    shared.scheduleEndOfTurn()
    guard backlog.waiting.isEmpty, let end = backlog.end.take() else { return }
    shared.engine.nextTurn { [self] in finish(end) }
  }

  /// Records that all subscriptions have the oldest waiting value.
  private func valueWentOut() {
    guard let (sequence, ack) = backlog.waiting.popFirst() else { return }
    // The initial value of a subject has no place in the stream.
    guard !ack.isEmpty || reader?.holdsUp == true else { return }
    if let reader, reader.acknowledges { return reader.handed(sequence) }
    acks.wentOut(ack)
    if backlog.waiting.isEmpty { acks.waitingWentOut() }
  }

  /// Publishes values that found the publication full or were left for a later turn.
  private func takeOverflow(_ isTurn: Bool) {
    var isFirst = isTurn
    while let publication, let next = backlog.overflow.first, isFirst || !leavesToLaterTurn() {
      isFirst = false
      switch unsafe next.withUnsafeBytes({ unsafe publication.publish($0) }) {
      case .full: return
      case .held: _ = backlog.overflow.popFirst()
      case .sent, .dropped, .cancelled:
        _ = backlog.overflow.popFirst()
        valueWentOut()
      }
    }
  }

  func forget(_ publication: Publication) {
    if self.publication === publication { self.publication = nil }
  }
}
