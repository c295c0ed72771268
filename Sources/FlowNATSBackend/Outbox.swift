internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowServer
internal import FlowSubjects
internal import FlowWire

/// Publishes values of a shared subject into its stream, one batch at a time.
///
/// While a batch is under way the queue grows; once it is stored, the next batch takes what has gathered. Several
/// single messages under way, as is usual, would be stored out of order when the stream changes its leader.
final class Outbox: Outlet, Retrying {
  // memory 3
  @safe private unowned(unsafe) let shared: SharedSubject
  private var state = OutboxState()
  var retry: Retry { state.retry }

  /// Ends the stream behind the last value.
  private(set) lazy var end = StreamEnd(shared)

  init(_ shared: SharedSubject) {
    self.shared = shared
    super.init()
  }

  var count: Int { state.count }
  /// The length of the longest value so far, at least 1024 bytes.
  var largest: Int { state.queue.largest }
  var lacksStorage: Bool { state.lacksStorage }
  /// Whether the batch may need a search of the stream, so that nothing may be purged.
  var isUncertain: Bool { state.isUncertain }

  private var surroundings: OutboxState.Surroundings {
    OutboxState.Surroundings(
      now: shared.shared.now,
      stream: shared.stream,
      takesValues: shared.target != nil,
      room: shared.room.leftNow,
      newest: shared.room.newest,
      longestValue: shared.longestValue,
      epoch: shared.link.epoch
    )
  }

  override func offer(_ value: inout PublishedValue) {
    let bytes = unsafe value.bytes
    let sender = home?.sender
    guard bytes.count <= shared.longestValue else {
      if let sender { refuseLater(.valueTooLong, sender) }
      return
    }
    state.queue.append(unsafe Array(bytes), by: sender)
    if state.queue.bytes > Self.mostBytes { lower(by: available) }
    shared.scheduleEndOfTurn()
  }

  /// Takes a value of a run, which NATS stores once for each `id`.
  ///
  /// The value waits behind the present ones and needs no credit. Returns false if it is too long.
  func put(_ bytes: UnsafeRawBufferPointer, id: String, by sender: any ValueSender) -> Bool {
    guard bytes.count <= shared.longestValue else { return false }
    guard state.intake == .open else {
      refuseLater(.away, sender)
      return true
    }
    state.queue.append(unsafe Array(bytes), id: id, by: sender)
    shared.scheduleEndOfTurn()
    return true
  }

  /// Notifies the sender in the next turn, because it is still sending.
  private func refuseLater(_ code: ErrorCode, _ sender: any ValueSender) {
    shared.engine.nextTurn { sender.notKept(1, code) }
  }

  /// The most values that may wait here.
  private static let mostValues = 1024
  private static let mostBytes = 4 << 20

  private func adjustCredit() {
    guard subject != nil else { return }
    var wanted = 0
    if shared.target != nil, state.intake == .open, !end.isUnderWay {
      wanted = min(Self.mostValues - count, (Self.mostBytes - state.queue.bytes) / largest)
      wanted = max(0, min(wanted, shared.room.left(beside: count)))
    }
    if wanted > available {
      allow(wanted - available)
    } else if wanted < available {
      lower(by: available - wanted)
      if wanted == 0 { subject?.outletRanOut(self) }
    }
  }

  func endTurn() {
    perform(state.sendNext(surroundings, lastMessage: &shared.shared.lastMessage))
    adjustCredit()
  }

  func streamIsOpen() {
    perform(state.streamIsOpen(surroundings, lastMessage: &shared.shared.lastMessage))
    adjustCredit()
  }

  func linkIsAway() {
    let steps = state.linkIsAway(surroundings)
    // Before senders are notified, which must not find credit.
    adjustCredit()
    perform(steps)
  }

  /// Gives up all values, because NATS has lost the stream or its end.
  func streamIsLost() {
    perform(state.giveUp(.away))
    adjustCredit()
  }

  /// Takes no more values, because the subject has completed or was deleted.
  func close(_ reason: OutboxState.Intake) { perform(state.close(reason, surroundings)) }

  /// Ends the stream behind the last value.
  override func finish(_ completion: Subscribers.Completion<PipelineFailure>) {
    if state.intake == .open { end.begin(completion) }
  }

  private func perform(_ steps: [OutboxState.Step]) { for step in steps { perform(step) } }

  private func perform(_ step: OutboxState.Step) {
    switch step {
    case .publish(let message): publish(message)
    case .search(let batch, let count): search(batch, count)
    case .wait(let nanoseconds): shared.shared.after(nanoseconds, ifCurrent { $0.timeIsUp() })
    case .watchSilence(let nanoseconds):
      shared.shared.after(nanoseconds) { [weak self] in
        guard let self else { return }
        perform(state.silenceIsOver(surroundings))
      }
    case .count(let answer): shared.shared.counters.count(answer)
    case .recordStored(let last): shared.room.stored(upTo: last)
    case .settle(let stored, let nanoseconds, let outcomes):
      shared.shared.counters.valuesOut += stored
      shared.shared.counters.longestStore = max(shared.shared.counters.longestStore, nanoseconds)
      notify(outcomes)
    case .notify(let outcomes): notify(outcomes)
    case .giveUp(let outcomes):
      notify(outcomes)
      state.forgetStorage()
      shared.scheduleEndOfTurn()
    case .checkStream: shared.check()
    case .lookForRoom: shared.room.checkReaders()
    case .reportNoStorage(let error):
      shared.warn("NATS has no room to store values, which wait: \(error)")
    case .writeEnd: end.write()
    case .giveUpEnd: end.giveUp(shared.deleted)
    case .scheduleEndOfTurn: shared.scheduleEndOfTurn()
    }
  }

  private func timeIsUp() {
    let world = surroundings
    perform(state.timeIsUp(world, lastMessage: &shared.shared.lastMessage))
  }

  private func publish(_ message: OutboxState.Message) {
    let answered = ifCurrent { (outbox: Outbox, reply: NATSReply) in
      outbox.perform(outbox.state.answered(PublishAnswer(reply), outbox.surroundings))
    }
    let reply = shared.link.expect(within: OutboxState.silence, answered)
    let place = shared.names.values(shared.name)
    let first = PublishHeaders.first(id: message.names.first)
    let values = message.values
    shared.link.publish { writer in
      guard values.count > 1 else {
        return writer.publish(place, reply: reply, headers: first, values[0].bytes)
      }
      for (index, value) in values.enumerated() {
        let isLast = index == values.count - 1
        let headers = PublishHeaders.batch(message.names.batch, place: index + 1, isLast: isLast)
        let id = value.id.map { PublishHeaders.first(id: $0 + message.mark) } ?? ""
        let own = index == 0 ? first : id
        writer.publish(place, reply: isLast ? reply : "", headers: headers + own, value.bytes)
      }
    }
  }

  private func search(_ batch: OutboxBatch, _ count: Int) {
    let found = ifCurrent { (outbox: Outbox, result: StoredSearch.Result) in
      let steps = outbox.state.found(result.finding, result.searched, outbox.surroundings)
      outbox.perform(steps)
    }
    StoredSearch(shared, batch.names, count, behind: batch.searched, found).start()
  }

  private func notify(_ outcomes: [OutboxState.Outcome]) {
    for outcome in outcomes {
      switch outcome.fate {
      case .stored(let place): outcome.sender.kept(outcome.count, at: place)
      case .notStored(let code): outcome.sender.notKept(outcome.count, code)
      }
    }
  }
}
