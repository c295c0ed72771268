internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// The state of an outbox: the waiting values, the batch under way, and whether more values are taken.
///
/// A transition calls nobody; it returns the steps that the outbox performs, in order. Answers, findings and
/// timers say to which attempt they belong; those of earlier attempts are ignored.
struct OutboxState {
  enum Phase {
    case idle
    case underWay(OutboxBatch, Activity)
  }

  enum Activity {
    /// The batch was published, and NATS has not answered.
    case published
    /// The batch is published when a timer fires or the stream opens.
    case waitingToPublish
    /// The stream is searched for values of the batch.
    case searching(Search)
    /// The stream is searched when a timer fires.
    case waitingToSearch(Search)
  }

  struct Search {
    /// The answer from which NATS's state cannot be told.
    let answer: PublishAnswer
    /// Whether an earlier search did not find all values: NATS may still have been storing them.
    var isSecond = false
  }

  /// Whether values are taken; a later case replaces an earlier one, never the other way round.
  enum Intake: Comparable { case open, completed, deleted }

  private(set) var phase = Phase.idle
  private(set) var intake = Intake.open
  var queue = OutboxQueue()
  /// The number of attempts to get a batch stored.
  private(set) var attempt = 0
  private var backoff = Backoff(50_000_000, 1_000_000_000)
  private var fullBackoff = Backoff(20_000_000, 1_000_000_000)
  /// Whether NATS has no disk or memory left for the batch.
  private(set) var lacksStorage = false
  /// When NATS last had no disk or memory left.
  private var lackedStorage = Int64.min / 2
  private var isWatchingSilence = false

  /// How long to wait for an answer before the batch is published again, in nanoseconds.
  static let silence: Int64 = 2_000_000_000
  /// How long a batch is published again, in nanoseconds: after 2 min NATS would take a repetition for new values.
  static let patience: Int64 = 100_000_000_000

  /// The number of values that are not stored.
  var count: Int { queue.count + (batch?.values.count ?? 0) }

  private var batch: OutboxBatch? {
    if case .underWay(let batch, _) = phase { batch } else { nil }
  }

  /// Whether a search of the stream for the batch's values is under way or possible, so that none may be purged.
  var isUncertain: Bool {
    switch phase {
    case .idle: false
    case .underWay(_, .searching), .underWay(_, .waitingToSearch): true
    case .underWay(let batch, _): batch.mayBeStored && !batch.isMistakable
    }
  }

  // MARK: Publishing

  /// Publishes the next batch, if none is under way.
  mutating func sendNext(_ world: Surroundings, lastMessage: inout UInt64) -> [Step] {
    guard case .idle = phase, intake == .open, world.takesValues else { return [] }
    guard !queue.isEmpty else { return [.writeEnd] }
    guard world.room > 0 else { return [.lookForRoom] }
    let values = queue.takeBatch(room: world.room)
    let batch = OutboxBatch(values, since: world.now, behind: world.newest)
    phase = .underWay(batch, .waitingToPublish)
    backoff.reset()
    fullBackoff.reset()
    return publish(world, &lastMessage)
  }

  /// The stream is open: publishes the batch again, or the next one.
  mutating func streamIsOpen(_ world: Surroundings, lastMessage: inout UInt64) -> [Step] {
    backoff.reset()
    let steps =
      batch != nil
      ? publish(world, &lastMessage) : sendNext(world, lastMessage: &lastMessage)
    let isDone = intake != .open || batch == nil && queue.isEmpty
    return isDone ? steps + [Step.writeEnd] : steps
  }

  /// The timer of a `wait` has fired.
  mutating func timeIsUp(
    _ attempt: Int,
    _ world: Surroundings,
    lastMessage: inout UInt64
  ) -> [Step] {
    guard attempt == self.attempt, case .underWay(let batch, let activity) = phase else {
      return []
    }
    switch activity {
    case .waitingToPublish: return publish(world, &lastMessage)
    case .waitingToSearch(let search): return self.search(batch, search, world)
    case .published, .searching: return []
    }
  }

  /// Publishes the batch, for the first time or again under another id.
  private mutating func publish(_ world: Surroundings, _ lastMessage: inout UInt64) -> [Step] {
    guard case .underWay(var batch, _) = phase, world.takesValues else {
      return checkSilence(world)
    }
    let values = batch.values.filter(world.fits)
    guard !values.isEmpty else { return settle(batch, nil, world) }
    batch.uncertainSince = batch.uncertainSince ?? world.now
    attempt += 1
    let names = batch.nextNames(for: values, epoch: world.epoch, lastMessage: &lastMessage)
    phase = .underWay(batch, .published)
    return [.publish(Message(values: values, names: names, mark: batch.mark, attempt: attempt))]
  }

  /// NATS has answered the batch, or did not answer in time.
  mutating func answered(
    _ answer: PublishAnswer,
    to attempt: Int,
    _ world: Surroundings
  ) -> [Step] {
    guard attempt == self.attempt, case .underWay(var batch, .published) = phase else {
      return []
    }
    guard intake == .open else { return answeredAfterEnd(answer, batch, world) }
    var steps = recordStorage(answer, world.now)
    steps.append(.count(answer))
    switch answer {
    case .stored(let last):
      // Sequence numbers always grow, unless NATS has lost the end of the stream.
      if last <= batch.newest { steps.append(.checkStream) }
      steps.append(.recordStored(last))
      return steps + settle(batch, last, world)
    case .repeated where batch.values[0].id != nil && !batch.mayBeStored:
      // Another server has stored values of the run.
      return steps + sendSingly(batch)
    case .repeated, .noStorage:
      return steps + search(batch, Search(answer: answer), world)
    case .full:
      // After the first try it is certain that nothing is stored.
      if batch.triesAreCertain { batch.uncertainSince = nil }
      steps.append(.lookForRoom)
      return steps + wait(batch, .waitingToPublish, fullBackoff.next(), world)
    case .preceded, .unknown:
      if !answer.isUnheard { batch.mayBeStored = true }
      batch.triesAreCertain = false
      steps.append(.checkStream)
      return steps + wait(batch, .waitingToPublish, backoff.next(), world)
    }
  }

  /// Handles the answer to a batch that was under way when the stream ended; the batch is not published again.
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

  /// Publishes the values of a batch one by one, since some of them are stored, maybe by another server.
  private mutating func sendSingly(_ batch: OutboxBatch) -> [Step] {
    phase = .idle
    queue.putBack(batch.values)
    return [.scheduleEndOfTurn]
  }

  /// Waits with `batch` for a timer, unless it has been uncertain for too long.
  private mutating func wait(
    _ batch: OutboxBatch,
    _ activity: Activity,
    _ nanoseconds: Int64,
    _ world: Surroundings
  ) -> [Step] {
    phase = .underWay(batch, activity)
    let steps = checkSilence(world)
    guard case .underWay = phase else { return steps }
    return steps + [Step.wait(nanoseconds: nanoseconds, attempt: attempt)]
  }

  // MARK: Searching

  /// Searches the stream for the batch, since NATS's answer does not tell what is stored.
  private mutating func search(
    _ batch: OutboxBatch,
    _ search: Search,
    _ world: Surroundings
  ) -> [Step] {
    phase = .underWay(batch, .searching(search))
    return [.search(batch, count: batch.values.count(where: world.fits), attempt: attempt)]
  }

  /// A search has ended.
  ///
  /// NATS may still be storing a batch that it has not answered, so one that is not whole is searched for twice.
  mutating func found(
    _ finding: StoredSearch.Finding,
    _ searched: StoredSearch.Searched,
    by attempt: Int,
    _ world: Surroundings
  ) -> [Step] {
    guard attempt == self.attempt, case .underWay(var batch, .searching(var search)) = phase else {
      return []
    }
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
      return wait(batch, .waitingToPublish, backoff.next(), world)
    case (_, .repeated) where batch.values[0].id != nil: return sendSingly(batch)
    case (.unclear, .repeated) where batch.isMistakable || hasLackedStorage(at: world.now):
      phase = .idle
      return notifyAway(batch) + [Step.scheduleEndOfTurn]
    case (.unclear, .repeated): return settle(batch, nil, world)
    case (.unclear, _):
      batch.isMistakable = true
      return wait(batch, .waitingToPublish, fullBackoff.next(), world)
    // A leader knows what it has not stored yet, and stores it if it stays the leader.
    case (.none, _) where batch.mayBeStored && world.stream?.replicas != 1:
      return wait(batch, .waitingToPublish, backoff.next(), world)
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

  // MARK: Storage and silence

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

  /// Whether NATS had no disk or memory within the time for which it remembers ids of values that it did not store.
  private func hasLackedStorage(at now: Int64) -> Bool { now - lackedStorage < Self.patience }

  /// Forgets that NATS had no storage; called after the senders were notified, whose error texts say so.
  mutating func forgetStorage() { lacksStorage = false }

  mutating func linkIsAway(_ world: Surroundings) -> [Step] {
    attempt += 1
    if case .underWay(var batch, _) = phase {
      batch.mayBeStored = true
      phase = .underWay(batch, .waitingToPublish)
    }
    return checkSilence(world)
  }

  /// The timer of a `watchSilence` has fired.
  mutating func silenceIsOver(_ world: Surroundings) -> [Step] {
    isWatchingSilence = false
    return checkSilence(world)
  }

  /// Gives up a batch that has been uncertain for too long.
  private mutating func checkSilence(_ world: Surroundings) -> [Step] {
    guard case .underWay(let batch, _) = phase, let since = batch.uncertainSince else { return [] }
    if intake != .open, world.stream == nil { return notifyAway(batch) + giveUp(.completed) }
    let left = since + Self.patience - world.now
    guard left > 0 else { return giveUp(.away) }
    guard world.stream == nil, !isWatchingSilence else { return [] }
    isWatchingSilence = true
    return [.watchSilence(nanoseconds: left)]
  }

  // MARK: Outcomes

  /// The values that still fit are stored, the last of them at place `last` if that is known.
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

  /// The first `count` values that fit are stored, the last of them at place `last`; returns the others.
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

  /// Notifies the senders of a batch that it may or may not be stored.
  private mutating func notifyAway(_ batch: OutboxBatch) -> [Step] {
    let outcomes = queue.takeShares(of: batch.values.count).map {
      Outcome(sender: $0.sender, count: $0.count, fate: .notStored(.away))
    }
    return [.notify(outcomes)]
  }

  /// Gives up all values, which are not known to be stored.
  mutating func giveUp(_ code: ErrorCode) -> [Step] {
    phase = .idle
    attempt += 1
    let outcomes = queue.removeAll().compactMap { share in
      share.sender.map { Outcome(sender: $0, count: share.count, fate: .notStored(code)) }
    }
    return [.giveUp(outcomes)]
  }

  /// Takes no more values, and gives up those that are here; but a batch that is under way when the stream has
  /// completed waits for its answer, as it may be stored.
  mutating func close(_ reason: Intake, _ world: Surroundings) -> [Step] {
    guard reason > intake else { return [] }
    intake = reason
    if reason == .deleted { return giveUp(.deleted) + [Step.giveUpEnd] }
    return batch == nil ? giveUp(.completed) : checkSilence(world)
  }
}
