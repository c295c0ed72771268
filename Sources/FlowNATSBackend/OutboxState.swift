internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// The state of an outbox: the queue, the current batch, and whether it takes values.
///
/// A transition calls nobody; it returns the steps that the outbox performs, in order. Answers, findings and timers
/// of earlier attempts are not passed to it.
struct OutboxState {
  enum Phase {
    case idle
    case underWay(OutboxBatch, Activity)
  }

  enum Activity {
    case published
    /// The batch waits for a timer, or for the stream to open.
    case waitingToPublish
    /// The stream is searched for values of the batch.
    case searching(Search)
    /// The search waits for a timer.
    case waitingToSearch(Search)
  }

  struct Search {
    /// The answer that did not tell what is stored.
    let answer: PublishAnswer
    /// Whether an earlier search missed values, which NATS may have been storing then.
    var isSecond = false
  }

  /// Whether values are taken; only ever changes to a later case.
  enum Intake: Comparable { case open, completed, deleted }

  private(set) var phase = Phase.idle
  private(set) var intake = Intake.open
  var queue = OutboxQueue()
  /// The attempts to get a batch stored.
  private(set) var retry = Retry()
  private var fullBackoff = Backoff(20_000_000, 1_000_000_000)
  /// Whether NATS lacks disk or memory for the batch.
  private(set) var lacksStorage = false
  private var lackedStorage = Int64.min / 2
  private var isWatchingSilence = false

  /// How long to wait for an answer before publishing again, in nanoseconds.
  static let silence: Int64 = 2_000_000_000
  /// How long a batch is published again, in nanoseconds: NATS deduplicates for only 2 min.
  static let patience: Int64 = 100_000_000_000

  var count: Int { queue.count + (batch?.values.count ?? 0) }

  private var batch: OutboxBatch? {
    if case .underWay(let batch, _) = phase { batch } else { nil }
  }

  /// Whether the batch may need a search of the stream, so that nothing may be purged.
  var isUncertain: Bool {
    switch phase {
    case .idle: false
    case .underWay(_, .searching), .underWay(_, .waitingToSearch): true
    case .underWay(let batch, _): batch.mayBeStored && !batch.isMistakable
    }
  }

  mutating func sendNext(_ world: Surroundings, lastMessage: inout UInt64) -> [Step] {
    guard case .idle = phase, intake == .open, world.takesValues else { return [] }
    guard !queue.isEmpty else { return [.writeEnd] }
    guard world.room > 0 else { return [.lookForRoom] }
    let values = queue.takeBatch(room: world.room)
    let batch = OutboxBatch(values, since: world.now, behind: world.newest)
    phase = .underWay(batch, .waitingToPublish)
    retry.reset()
    fullBackoff.reset()
    return publish(world, &lastMessage)
  }

  /// Publishes the current batch again, or the next one.
  mutating func streamIsOpen(_ world: Surroundings, lastMessage: inout UInt64) -> [Step] {
    retry.reset()
    let steps =
      batch != nil
      ? publish(world, &lastMessage) : sendNext(world, lastMessage: &lastMessage)
    let isDone = intake != .open || batch == nil && queue.isEmpty
    return isDone ? steps + [Step.writeEnd] : steps
  }

  /// The timer of a `wait` has fired.
  mutating func timeIsUp(_ world: Surroundings, lastMessage: inout UInt64) -> [Step] {
    guard case .underWay(let batch, let activity) = phase else { return [] }
    switch activity {
    case .waitingToPublish: return publish(world, &lastMessage)
    case .waitingToSearch(let search): return self.search(batch, search, world)
    case .published, .searching: return []
    }
  }

  /// Publishes the current batch.
  private mutating func publish(_ world: Surroundings, _ lastMessage: inout UInt64) -> [Step] {
    guard case .underWay(var batch, _) = phase, world.takesValues else {
      return checkSilence(world)
    }
    let values = batch.values.filter(world.fits)
    guard !values.isEmpty else { return settle(batch, nil, world) }
    batch.uncertainSince = batch.uncertainSince ?? world.now
    retry.begin()
    let names = batch.nextNames(for: values, epoch: world.epoch, lastMessage: &lastMessage)
    phase = .underWay(batch, .published)
    return [.publish(Message(values: values, names: names, mark: batch.mark))]
  }

  /// NATS has answered the batch, or did not answer in time.
  mutating func answered(_ answer: PublishAnswer, _ world: Surroundings) -> [Step] {
    guard case .underWay(var batch, .published) = phase else { return [] }
    guard intake == .open else { return answeredAfterEnd(answer, batch, world) }
    var steps = recordStorage(answer, world.now)
    steps.append(.count(answer))
    switch answer {
    case .stored(let last):
      // Sequences only grow, unless NATS has lost the stream's end.
      if last <= batch.newest { steps.append(.checkStream) }
      steps.append(.recordStored(last))
      return steps + settle(batch, last, world)
    case .repeated where batch.values[0].id != nil && !batch.mayBeStored:
      // Another server has stored values of the run.
      return steps + sendSingly(batch)
    case .repeated, .noStorage:
      return steps + search(batch, Search(answer: answer), world)
    case .full:
      // After the first attempt it is certain that nothing is stored.
      if batch.triesAreCertain { batch.uncertainSince = nil }
      steps.append(.lookForRoom)
      return steps + wait(batch, .waitingToPublish, fullBackoff.next(), world)
    case .preceded, .unknown:
      if !answer.isUnheard { batch.mayBeStored = true }
      batch.triesAreCertain = false
      steps.append(.checkStream)
      return steps + wait(batch, .waitingToPublish, retry.pause(), world)
    }
  }

  /// Handles an answer after the end of the stream; the batch is not published again.
  private mutating func answeredAfterEnd(
    _ answer: PublishAnswer,
    _ batch: OutboxBatch,
    _ world: Surroundings
  ) -> [Step] {
    switch answer {
    case .stored(let last):
      return [Step.recordStored(last)] + settle(batch, last, world) + giveUp(.completed)
    case .repeated, .noStorage: return search(batch, Search(answer: answer), world)
    case .full where !batch.mayBeStored: return giveUp(.completed)
    case .unknown where !batch.mayBeStored && answer.isUnheard: return giveUp(.completed)
    case .full, .preceded, .unknown: return notifyAway(batch) + giveUp(.completed)
    }
  }

  /// Publishes the values singly, because some are stored, perhaps by another server.
  private mutating func sendSingly(_ batch: OutboxBatch) -> [Step] {
    phase = .idle
    queue.putBack(batch.values)
    return [.scheduleEndOfTurn]
  }

  /// Waits for a timer, unless the batch has been uncertain for too long.
  private mutating func wait(
    _ batch: OutboxBatch,
    _ activity: Activity,
    _ nanoseconds: Int64,
    _ world: Surroundings
  ) -> [Step] {
    phase = .underWay(batch, activity)
    let steps = checkSilence(world)
    guard case .underWay = phase else { return steps }
    return steps + [Step.wait(nanoseconds: nanoseconds)]
  }

  /// Searches the stream, because NATS's answer does not tell what is stored.
  private mutating func search(
    _ batch: OutboxBatch,
    _ search: Search,
    _ world: Surroundings
  ) -> [Step] {
    phase = .underWay(batch, .searching(search))
    return [.search(batch, count: batch.values.count(where: world.fits))]
  }

  /// Handles the result of a search.
  ///
  /// An incomplete result is checked once more, because NATS may still be storing the batch.
  mutating func found(
    _ finding: StoredSearch.Finding,
    _ searched: StoredSearch.Searched,
    _ world: Surroundings
  ) -> [Step] {
    guard case .underWay(var batch, .searching(var search)) = phase else { return [] }
    batch.searched = searched
    guard finding != .more else {
      return wait(batch, .waitingToSearch(search), fullBackoff.next(), world)
    }
    let isWhole = finding.isWhole(of: batch.values.count(where: world.fits))
    guard search.isSecond || finding == .unclear || isWhole || !batch.mayBeStored else {
      search.isSecond = true
      return wait(batch, .waitingToSearch(search), Self.silence, world)
    }
    guard intake == .open else { return foundAfterEnd(finding, batch, world) }
    let isFull = if case .noStorage = search.answer { true } else { false }
    let steps = isFull ? [Step.lookForRoom] : []
    return steps + conclude(finding, batch, search.answer, world)
  }

  private mutating func conclude(
    _ finding: StoredSearch.Finding,
    _ batch: OutboxBatch,
    _ answer: PublishAnswer,
    _ world: Surroundings
  ) -> [Step] {
    var batch = batch
    switch (finding, answer) {
    case (.some(let count, let last), _):
      let (steps, rest) = settleFirst(count, of: batch, last, world)
      guard let rest else { return steps }
      return steps + wait(rest.renamed(), .waitingToPublish, fullBackoff.next(), world)
    case (.unanswered, _), (.more, _):
      return wait(batch, .waitingToPublish, retry.pause(), world)
    case (_, .repeated) where batch.values[0].id != nil: return sendSingly(batch)
    case (.unclear, .repeated) where batch.isMistakable || hasLackedStorage(at: world.now):
      phase = .idle
      return notifyAway(batch) + [Step.scheduleEndOfTurn]
    case (.unclear, .repeated): return settle(batch, nil, world)
    case (.unclear, _):
      batch.isMistakable = true
      return wait(batch, .waitingToPublish, fullBackoff.next(), world)
    // A leader that stays in office may still store what it has not replicated yet.
    case (.none, _) where batch.mayBeStored && world.stream?.replicas != 1:
      return wait(batch, .waitingToPublish, retry.pause(), world)
    case (.none, _):
      return wait(batch.renamed(), .waitingToPublish, fullBackoff.next(), world)
    }
  }

  private mutating func foundAfterEnd(
    _ finding: StoredSearch.Finding,
    _ batch: OutboxBatch,
    _ world: Surroundings
  ) -> [Step] {
    guard case .some(let count, let last) = finding else {
      return notifyAway(batch) + giveUp(.completed)
    }
    let (first, rest) = settleFirst(count, of: batch, last, world)
    var steps = first
    if let rest { steps += notifyAway(rest) }
    return steps + giveUp(.completed)
  }

  private mutating func recordStorage(_ answer: PublishAnswer, _ now: Int64) -> [Step] {
    let lackedBefore = lacksStorage
    guard case .noStorage(let error) = answer else {
      lacksStorage = false
      return []
    }
    lackedStorage = now
    lacksStorage = true
    return lackedBefore ? [] : [.reportNoStorage(error)]
  }

  /// Whether NATS lacked storage recently, and may remember ids that it did not store.
  private func hasLackedStorage(at now: Int64) -> Bool { now - lackedStorage < Self.patience }

  /// Resets `lacksStorage`; senders' errors mention it, so they are notified before.
  mutating func forgetStorage() { lacksStorage = false }

  mutating func linkIsAway(_ world: Surroundings) -> [Step] {
    retry.begin()
    if case .underWay(var batch, _) = phase {
      batch.mayBeStored = true
      phase = .underWay(batch, .waitingToPublish)
    }
    return checkSilence(world)
  }

  mutating func silenceIsOver(_ world: Surroundings) -> [Step] {
    isWatchingSilence = false
    return checkSilence(world)
  }

  private mutating func checkSilence(_ world: Surroundings) -> [Step] {
    guard case .underWay(let batch, _) = phase, let since = batch.uncertainSince else { return [] }
    if intake != .open, world.stream == nil { return notifyAway(batch) + giveUp(.completed) }
    let left = since + Self.patience - world.now
    guard left > 0 else { return giveUp(.away) }
    guard world.stream == nil, !isWatchingSilence else { return [] }
    isWatchingSilence = true
    return [.watchSilence(nanoseconds: left)]
  }

  /// Settles the values that still fit as stored, the last one at `last` if that is known.
  private mutating func settle(
    _ batch: OutboxBatch,
    _ last: UInt64?,
    _ world: Surroundings
  ) -> [Step] {
    phase = .idle
    let stored = batch.values.count(where: world.fits)
    var left = stored
    var outcomes: [Outcome] = []
    var values = batch.values[...]
    while let first = values.first {
      let isStored = world.fits(first)
      let part = values.prefix { world.fits($0) == isStored }
      values = values[part.endIndex...]
      if isStored { left -= part.count }
      for (sender, count, behind) in queue.takeShares(of: part.count) {
        let place = last?.subtractingReportingOverflow(UInt64(left + behind))
        let fate: Outcome.Fate =
          isStored
          ? .stored(at: place.flatMap { $0.overflow ? nil : $0.partialValue })
          : .notStored(batch.mayBeStored ? .away : .valueTooLong)
        outcomes.append(Outcome(sender: sender, count: count, fate: fate))
      }
    }
    let nanoseconds = world.now - batch.since
    return [.settle(stored: stored, nanoseconds: nanoseconds, outcomes), .scheduleEndOfTurn]
  }

  /// Settles the first `count` values as stored; returns the others.
  private mutating func settleFirst(
    _ count: Int,
    of batch: OutboxBatch,
    _ last: UInt64,
    _ world: Surroundings
  ) -> (steps: [Step], rest: OutboxBatch?) {
    var left = count
    let end = batch.values.firstIndex { value in
      if world.fits(value) { left -= 1 }
      return left < 0
    }
    let (first, rest) = batch.split(before: end ?? batch.values.count, at: last)
    let steps = [Step.recordStored(last)] + settle(first, last, world)
    return (steps, rest.values.isEmpty ? nil : rest)
  }

  /// Tells the senders that the batch may or may not be stored.
  private mutating func notifyAway(_ batch: OutboxBatch) -> [Step] {
    let outcomes = queue.takeShares(of: batch.values.count).map {
      Outcome(sender: $0.sender, count: $0.count, fate: .notStored(.away))
    }
    return [.notify(outcomes)]
  }

  mutating func giveUp(_ code: ErrorCode) -> [Step] {
    phase = .idle
    retry.begin()
    let outcomes = queue.removeAll().compactMap { share in
      share.sender.map { Outcome(sender: $0, count: share.count, fate: .notStored(code)) }
    }
    return [.giveUp(outcomes)]
  }

  /// Takes no more values and gives up the present ones.
  ///
  /// After completion, a batch in flight still waits for its answer.
  mutating func close(_ reason: Intake, _ world: Surroundings) -> [Step] {
    guard reason > intake else { return [] }
    intake = reason
    if reason == .deleted { return giveUp(.deleted) + [Step.giveUpEnd] }
    return batch == nil ? giveUp(.completed) : checkSilence(world)
  }
}
