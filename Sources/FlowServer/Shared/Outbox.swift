internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// Takes the values that are sent to a shared subject to its stream, in batches, one at a time.
///
/// While a batch is under way the queue grows; when it is stored, the next one takes what is there. A
/// window of single messages, as is usual, comes out of order when the stream changes its leader.
final class Outbox: Outlet, ValueKeeper {
  // memory 3
  @safe private unowned(unsafe) let shared: SharedSubject

  /// Values that belong to one sender, one behind the other.
  private struct Share {
    /// `nil` if nobody wants to know.
    var sender: (any ValueSender)?
    var count: Int
  }

  private var queue = Fifo<Queued>()
  /// How many values at the front go out one by one, as some of them may be stored already.
  private var single = 0
  private var queuedBytes = 0
  private var batch: Batch?
  private var isSearching = false
  /// How many tries there were, so that what comes late is known as such.
  private var attempt = 0
  private var backoff = Backoff(50_000_000, 1_000_000_000)
  private var fullBackoff = Backoff(20_000_000, 1_000_000_000)
  /// Whose the values of the batch and of the queue are, in order.
  private var shares: [Share] = []
  /// Values at the end of the queue of which nobody has said yet whose they are.
  private var unclaimed = 0
  /// Values that were too long, and whose sender is told so when it says that they are its.
  private var tooLong = 0
  private(set) var largest = 1024
  /// Whether NATS has no disk or memory left for what is here.
  private(set) var lacksStorage = false
  /// When it last had none.
  private var lackedStorage = Int64.min / 2
  /// What nothing more is taken for.
  private var refusal: ErrorCode?

  /// How the stream is ended, behind the last value.
  private(set) lazy var end = StreamEnd(shared)

  init(_ shared: SharedSubject) {
    self.shared = shared
    super.init()
  }

  /// Whether it is to be looked what is stored of the batch, so that nothing of it may be purged.
  var isUncertain: Bool {
    isSearching || batch?.mayBeStored == true && batch?.isMistakable == false
  }

  /// Values that are not stored yet.
  var count: Int { queue.count + (batch?.values.count ?? 0) }

  private var now: Int64 { shared.shared.now }

  // MARK: Values come

  override func offer(_ value: inout PublishedValue) {
    unclaimed += 1
    let bytes = unsafe value.bytes
    guard bytes.count <= shared.longestValue else {
      tooLong += 1
      unclaimed -= 1
      return
    }
    unsafe enqueue(bytes, id: nil)
    if queuedBytes > Self.mostBytes { lower(by: available) }
    shared.scheduleEndOfTurn()
  }

  private func enqueue(_ bytes: UnsafeRawBufferPointer, id: String?) {
    largest = max(largest, bytes.count)
    queuedBytes += bytes.count
    unsafe queue.append(Queued(bytes: Array(bytes), id: id))
  }

  /// Takes a value of a run, which is stored once, whoever sends it again with this `id`.
  ///
  /// It waits behind what is here, and is not held back by the credit that publishers have.
  /// - Returns: false if it is too long.
  func put(_ bytes: UnsafeRawBufferPointer, id: String, by sender: any ValueSender) -> Bool {
    guard bytes.count <= shared.longestValue else { return false }
    guard refusal == nil else {
      shared.engine.nextTurn { sender.notKept(1, .away) }
      return true
    }
    shareUnclaimed()
    unsafe enqueue(bytes, id: id)
    share(1, sender)
    shared.scheduleEndOfTurn()
    return true
  }

  /// Values of which nobody has said whose they are are nobody's.
  private func shareUnclaimed() {
    guard unclaimed > 0 else { return }
    share(unclaimed, nil)
    unclaimed = 0
  }

  func publisherWaits() { shared.scheduleEndOfTurn() }

  func sent(_ count: Int, by sender: any ValueSender) {
    let refused = min(count, tooLong)
    tooLong -= refused
    let taken = min(count - refused, unclaimed)
    unclaimed -= taken
    if taken > 0 { share(taken, sender) }
    if refused > 0 { refuseLater(refused, .valueTooLong, sender) }
  }

  private func share(_ count: Int, _ sender: (any ValueSender)?) {
    if let last = shares.last, last.sender === sender {
      shares[shares.count - 1].count += count
    } else {
      shares.append(Share(sender: sender, count: count))
    }
  }

  /// Tells a sender after what it is doing, since it is in the midst of sending.
  private func refuseLater(_ count: Int, _ code: ErrorCode, _ sender: any ValueSender) {
    shared.engine.nextTurn { sender.notKept(count, code) }
  }

  // MARK: Credit

  /// How many values may wait here, and how many bytes.
  private static let mostValues = 1024
  private static let mostBytes = 4 << 20

  /// Has publishers send as many as there is room for.
  func adjustCredit() {
    guard subject != nil else { return }
    var wanted = 0
    if shared.target != nil, refusal == nil, !end.isUnderWay {
      wanted = min(Self.mostValues - count, (Self.mostBytes - queuedBytes) / largest)
      wanted = max(0, min(wanted, shared.room.left(beside: count)))
    }
    if wanted > available {
      allow(wanted - available)
    } else if wanted < available {
      lower(by: available - wanted)
      if wanted == 0 { subject?.outletRanOut(self) }
    }
  }

  // MARK: The turn

  func endTurn() {
    sendNext()
    adjustCredit()
  }

  func streamIsOpen() {
    backoff.reset()
    if batch != nil { send() } else { sendNext() }
    if refusal != nil { end.write() } else { endIfDone() }
    adjustCredit()
  }

  func linkIsAway() {
    attempt += 1
    isSearching = false
    batch?.mayBeStored = true
    adjustCredit()
    lookForSilence()
  }

  /// NATS has lost the stream or its end: gives up all values and takes no more.
  func streamIsLost() {
    giveUp(.away)
    adjustCredit()
  }

  /// Sends the next batch, if none is under way.
  private func sendNext() {
    guard batch == nil, refusal == nil, shared.target != nil else { return }
    shareUnclaimed()
    guard queue.count > 0 else { return endIfDone() }
    let most = min(single > 0 ? 1 : Self.batchValues, shared.room.leftNow)
    guard most > 0 else { return shared.room.look() }
    single -= min(single, 1)
    var values: [Queued] = []
    var bytes = 0
    // Values with an id of their own are by themselves: only of those it is asked which are stored.
    while values.count < most, let next = queue.first,
      values.isEmpty || bytes + next.bytes.count <= Self.batchBytes,
      values.isEmpty || (next.id == nil) == (values[0].id == nil)
    {
      bytes += next.bytes.count
      values.append(next)
      _ = queue.popFirst()
    }
    queuedBytes -= bytes
    let message = shared.shared.nextMessage()
    batch = Batch(values, message: message, since: now, behind: shared.room.newest)
    backoff.reset()
    fullBackoff.reset()
    send()
  }

  /// How many values a batch may have, and how many bytes, unless it is one value.
  private static let batchValues = 256
  private static let batchBytes = 512 << 10

  /// Sends the batch, for the first time or again: then under another id, with what it is known by.
  private func send() {
    guard let batch, shared.target != nil else { return lookForSilence() }
    let values = batch.values.filter(fits)
    guard !values.isEmpty else { return settle(batch, nil) }
    if batch.uncertainSince == nil { self.batch?.uncertainSince = now }
    attempt += 1
    isSearching = false
    let attempt = attempt
    let link = shared.link
    let reply = link.expect(within: Self.silence) { [weak self] reply in
      guard let self, self.attempt == attempt else { return }
      answered(PublishAnswer(reply))
    }
    let place = shared.names.values(shared.name)
    let mark = batch.mark
    let message = values[0].id.map { $0 + mark } ?? "\(link.epoch).\(batch.message)"
    let first = PublishHeaders.first(id: message)
    let id = values.count > 1 ? "\(link.epoch).\(shared.shared.nextMessage())" : message
    self.batch?.names.insert(id)
    link.publish { writer in
      guard values.count > 1 else {
        return writer.publish(place, reply: reply, headers: first, values[0].bytes)
      }
      for (index, value) in values.enumerated() {
        let isLast = index == values.count - 1
        let headers = PublishHeaders.batch(id, place: index + 1, isLast: isLast)
        let own = index == 0 ? first : value.id.map { PublishHeaders.first(id: $0 + mark) } ?? ""
        writer.publish(place, reply: isLast ? reply : "", headers: headers + own, value.bytes)
      }
    }
  }

  /// After how long without an answer it is sent again, in nanoseconds.
  private static let silence: Int64 = 2_000_000_000
  /// For how long it is sent again: after 2 min NATS would take a repetition for a new value.
  private static let patience: Int64 = 100_000_000_000

  private func answered(_ answer: PublishAnswer) {
    guard let batch else { return }
    if refusal != nil { return answeredBehindEnd(answer, batch) }
    noteStorage(answer)
    switch answer {
    case .stored(let last):
      shared.shared.counters.stored += 1
      // Sequence numbers always grow, unless NATS has lost the end of the stream.
      if last <= batch.newest { shared.check() }
      shared.room.stored(upTo: last)
      settle(batch, last)
    case .repeated:
      shared.shared.counters.repeated += 1
      // Somebody else has stored values of a run.
      if batch.values[0].id != nil, !batch.mayBeStored { return sendSingly(batch.values) }
      search(batch, answer)
    case .full:
      shared.shared.counters.full += 1
      // Nothing is stored, of that much one can be sure after the first try.
      if batch.triesAreCertain { self.batch?.uncertainSince = nil }
      shared.room.isFull()
      sendLater(fullBackoff.next())
    case .noStorage:
      shared.shared.counters.full += 1
      search(batch, answer)
    case .preceded, .unknown:
      shared.shared.counters.unknown += 1
      if !answer.isUnheard { self.batch?.mayBeStored = true }
      self.batch?.triesAreCertain = false
      shared.check()
      sendLater(backoff.next())
    }
  }

  /// Looks what of the batch is stored, since NATS has given an answer to it that cannot tell.
  ///
  /// It may still be storing what it has not answered: what is not whole is looked for a second time.
  private func search(_ batch: Batch, _ answer: PublishAnswer, isSecond: Bool = false) {
    let attempt = attempt
    let count = batch.values.count(where: fits)
    isSearching = true
    StoredSearch(shared, batch.names, count, behind: batch.searched) {
      [weak self] finding, searched in
      guard let self, self.attempt == attempt, self.batch != nil else { return }
      self.batch?.searched = searched
      guard let batch = self.batch else { return }
      guard finding != .more else { return searchLater(answer, isSecond, fullBackoff.next()) }
      isSearching = false
      let isFinal = isSecond || finding == .unclear || finding.isWhole(of: count)
      if isFinal || !batch.mayBeStored { return found(finding, of: batch, answer) }
      searchLater(answer, true, Self.silence)
    }.start()
  }

  private func searchLater(_ answer: PublishAnswer, _ isSecond: Bool, _ delay: Int64) {
    lookForSilence()
    guard batch != nil else { return }
    let attempt = attempt
    shared.shared.after(delay) { [weak self] in
      guard let self, self.attempt == attempt, let batch = self.batch else { return }
      search(batch, answer, isSecond: isSecond)
    }
  }

  private func found(_ finding: StoredSearch.Finding, of batch: Batch, _ answer: PublishAnswer) {
    if refusal != nil { return foundBehindEnd(finding, batch) }
    if case .noStorage = answer { shared.room.isFull() }
    switch (finding, answer) {
    case (.some(let count, let last), _):
      guard let rest = settleFirst(count, of: batch, last) else { return }
      self.batch = rest.renamed(shared.shared.nextMessage())
      sendLater(fullBackoff.next())
    case (.unanswered, _), (.more, _): sendLater(backoff.next())
    case (_, .repeated) where batch.values[0].id != nil: sendSingly(batch.values)
    case (.unclear, .repeated) where batch.isMistakable || hasLackedStorage:
      self.batch = nil
      giveUpShares(of: batch)
      shared.scheduleEndOfTurn()
    case (.unclear, .repeated): settle(batch, nil)
    case (.unclear, _):
      self.batch?.isMistakable = true
      sendLater(fullBackoff.next())
    // A leader knows what it has not stored yet, and stores it if it stays one.
    case (.none, _) where batch.mayBeStored && shared.stream?.replicas != 1:
      sendLater(backoff.next())
    case (.none, _):
      self.batch = batch.renamed(shared.shared.nextMessage())
      sendLater(fullBackoff.next())
    }
  }

  /// The first so many are stored, the last of them at place `last`; returns the others.
  private func settleFirst(_ count: Int, of batch: Batch, _ last: UInt64) -> Batch? {
    shared.room.stored(upTo: last)
    var left = count
    let end = batch.values.firstIndex { value in
      if fits(value) { left -= 1 }
      return left < 0
    }
    let (first, rest) = batch.split(before: end ?? batch.values.count, at: last)
    settle(first, last)
    return rest.values.isEmpty ? nil : rest
  }

  /// Tells the senders of a batch that it may or may not be stored.
  private func giveUpShares(of batch: Batch) {
    forShares(of: batch.values.count) { sender, count, _ in sender.notKept(count, .away) }
  }

  /// Whether NATS had no disk or memory, as far back as ids go that it may remember for nothing.
  private var hasLackedStorage: Bool { now - lackedStorage < Self.patience }

  /// Notes whether NATS has disk and memory left.
  private func noteStorage(_ answer: PublishAnswer) {
    guard case .noStorage(let error) = answer else { return lacksStorage = false }
    lackedStorage = now
    if !lacksStorage { shared.note("NATS has no room to store values, which wait: \(error)") }
    lacksStorage = true
  }

  /// What was under way when the stream ended is stored or is not, and never sent again.
  private func answeredBehindEnd(_ answer: PublishAnswer, _ batch: Batch) {
    switch answer {
    case .stored(let last):
      shared.room.stored(upTo: last)
      settle(batch, last)
    case .repeated, .noStorage: return search(batch, answer)
    case .full where !batch.mayBeStored: break
    case .unknown where !batch.mayBeStored && answer.isUnheard: break
    case .full, .preceded, .unknown: giveUpShares(of: batch)
    }
    giveUp(.completed)
  }

  private func foundBehindEnd(_ finding: StoredSearch.Finding, _ batch: Batch) {
    if case .some(let count, let last) = finding {
      let rest = settleFirst(count, of: batch, last)
      if let rest { giveUpShares(of: rest) }
    } else {
      giveUpShares(of: batch)
    }
    giveUp(.completed)
  }

  /// Sends the values of a batch one by one, since some of them are stored, maybe by another server.
  private func sendSingly(_ values: [Queued]) {
    batch = nil
    single = values.count
    var old = queue.takeAll()
    for value in values {
      queue.append(value)
      queuedBytes += value.bytes.count
    }
    while let next = old.popFirst() { queue.append(next) }
    shared.scheduleEndOfTurn()
  }

  private func sendLater(_ delay: Int64) {
    lookForSilence()
    guard batch != nil else { return }
    let attempt = attempt
    shared.shared.after(delay) { [weak self] in
      guard let self, self.attempt == attempt, batch != nil else { return }
      send()
    }
  }

  /// Gives up what has been uncertain for too long.
  private func lookForSilence() {
    guard let since = batch?.uncertainSince else { return }
    if refusal != nil, shared.stream == nil { return answered(.unknown(.noAnswer)) }
    let left = since + Self.patience - now
    guard left > 0 else { return giveUp(.away) }
    guard shared.stream == nil, !isWatchingSilence else { return }
    isWatchingSilence = true
    shared.shared.after(left) { [weak self] in
      self?.isWatchingSilence = false
      self?.lookForSilence()
    }
  }

  private var isWatchingSilence = false

  // MARK: Values are stored, or not

  /// Whether NATS takes a value now: it may have been started again with a smaller `max_payload`.
  private func fits(_ value: Queued) -> Bool { value.bytes.count <= shared.longestValue }

  /// What there was to be sent of a batch is stored, the last value of it at place `last`.
  private func settle(_ batch: Batch, _ last: UInt64?) {
    var left = batch.values.count(where: fits)
    shared.shared.counters.valuesOut += left
    let time = now - batch.since
    shared.shared.counters.longestStore = max(shared.shared.counters.longestStore, time)
    self.batch = nil
    var values = batch.values[...]
    while let first = values.first {
      let isStored = fits(first)
      let part = values.prefix { fits($0) == isStored }
      values = values[part.endIndex...]
      if isStored { left -= part.count }
      forShares(of: part.count) { sender, count, behind in
        if isStored {
          let place = last.map { $0.subtractingReportingOverflow(UInt64(left + behind)) }
          sender.kept(count, at: place.flatMap { $0.overflow ? nil : $0.partialValue })
        } else {
          sender.notKept(count, batch.mayBeStored ? .away : .valueTooLong)
        }
      }
    }
    shared.scheduleEndOfTurn()
  }

  /// Calls `body` with each sender of the first `count` values, with how many of them are its, and with
  /// how many come behind those; they are nobody's then.
  private func forShares(of count: Int, _ body: (any ValueSender, Int, Int) -> Void) {
    var rest = count
    while rest > 0, !shares.isEmpty {
      let part = min(rest, shares[0].count)
      let sender = shares[0].sender
      if part == shares[0].count { shares.removeFirst() } else { shares[0].count -= part }
      rest -= part
      if let sender { body(sender, part, rest) }
    }
  }

  /// Tells all senders that their values are not known to be stored.
  private func giveUp(_ code: ErrorCode) {
    batch = nil
    attempt += 1
    isSearching = false
    queue = Fifo()
    single = 0
    queuedBytes = 0
    unclaimed = 0
    let lost = shares
    shares = []
    for share in lost { share.sender?.notKept(share.count, code) }
    lacksStorage = false
    shared.scheduleEndOfTurn()
  }

  /// Takes nothing more, and gives up what is here; but what is under way when the stream has completed
  /// waits for its answer, as it may be stored.
  func refuse(_ code: ErrorCode) {
    guard refusal == nil || refusal == .completed && code != .completed else { return }
    refusal = code
    if code == .completed, batch != nil { return lookForSilence() }
    giveUp(code)
    if code != .completed {
      end.giveUp(DefinitionError(.unknownName, "subject \(shared.name) was deleted"))
    }
  }

  // MARK: The end

  /// Ends the stream behind the last value, since the entrance has completed.
  override func finish(_ completion: Subscribers.Completion<PipelineFailure>) {
    guard refusal == nil else { return }
    end.begin(completion)
  }

  private func endIfDone() {
    if batch == nil, queue.isEmpty { end.write() }
  }
}
