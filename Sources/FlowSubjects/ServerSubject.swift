package import FlowCore
package import FlowLanguage
package import FlowWire

/// A named subject: values in from clients, out to streams and pipelines in order of subscription.
///
/// With `flow=free` a subscription without room misses the value. With `flow=slowest` a value goes
/// out only when every subscription has room; until then it waits with whoever sent it.
@safe
package final class ServerSubject {
  package typealias Completion = Subscribers.Completion<PipelineFailure>

  package let name: String
  package let settings: SubjectSettings
  // memory 3, and memory 6 for all below.
  @safe package unowned(unsafe) let host: any SubjectHost  // outlives what is in it
  private let timeSlice: TimeSlice

  @safe @exclusivity(unchecked) private var outcome: Completion?
  package var completion: Completion? { outcome }
  @safe @exclusivity(unchecked) package private(set) var published = 0
  @safe @exclusivity(unchecked) package var delivered = 0
  @safe @exclusivity(unchecked) package var missed = 0
  /// Values that were to be kept, and were forgotten since they took too much memory.
  @safe @exclusivity(unchecked) package var forgotten = 0
  @safe @exclusivity(unchecked) package private(set) var publications: [Publication] = []
  private var feeds: [any SubjectFeed] = []
  /// Values that wait in publications.
  @safe @exclusivity(unchecked) package private(set) var heldCount = 0

  /// What a run that has failed it reads: its failure's text may show values of these.
  package var failureOrigins: [String] = []

  /// The subject as a pipeline of its name and nothing else, made when first asked for.
  @safe @exclusivity(unchecked) package var plainPipeline: Pipeline?

  /// Called when a subscription that had no room has some.
  @safe @exclusivity(unchecked) package var whenWanted: (() -> Void)?

  // memory 4 for what it refers to.
  @safe @exclusivity(unchecked) package private(set) var outlets:
    ContiguousArray<Unmanaged<Outlet>?> =
      unsafe []
  @safe @exclusivity(unchecked) package private(set) var outletCount = 0
  /// Subscriptions that take one value after the other only.
  @safe @exclusivity(unchecked) private var singleReaders = 0
  /// The most values that are to come as one batch.
  @safe @exclusivity(unchecked) private var largestBatch = Int.max
  /// How many subscriptions have no room.
  @safe @exclusivity(unchecked) package private(set) var starved = 0
  @safe @exclusivity(unchecked) private var publishing = 0
  @safe @exclusivity(unchecked) package var kept: ReplayBuffer?
  @safe @exclusivity(unchecked) private var waiting = WaitingSends()
  /// Since when values wait without a pause.
  @safe @exclusivity(unchecked) package private(set) var waitingSince: Int64 = 0
  /// Since when not all subscriptions are without room.
  @safe @exclusivity(unchecked) package private(set) var roomSince: Int64 = 0
  /// Whose turn it was last, among those whose values wait.
  private var turn = 0
  @safe @exclusivity(unchecked) private var isOpenNoted = false
  /// Whether what waits goes on in a later turn.
  private var isPaced = false
  package var stallCheckIsDue = false

  package init(name: String, settings: SubjectSettings, host: any SubjectHost) {
    self.name = name
    self.settings = settings
    self.host = host
    timeSlice = host.timeSlice
    switch settings.kind {
    case .passthrough: kept = nil
    case .current(let initial):
      var values = ReplayBuffer(limit: 1)
      unsafe values.append(initial.withUnsafeBytes { unsafe Value(bytes: $0) })
      kept = values
    case .replay(let count): kept = ReplayBuffer(limit: count)
    }
  }

  deinit {
    for slot in unsafe outlets.indices { unsafe outlets[slot]?.release() }
  }

  /// What it keeps for those who come later, and what those have left waiting who are gone.
  package var bytes: Int {
    publications.reduce((kept?.bytes ?? 0) + waiting.abandonedBytes) { sum, publication in
      publication.isAbandoned ? sum + publication.bytes : sum
    }
  }

  package var isLossless: Bool { settings.flow == .slowest }
  package var waitingCount: Int { waiting.count + heldCount }

  /// Whether a value that comes now goes out now.
  package var hasRoom: Bool {
    !isLossless || (starved == 0 && outletCount > 0 && waitingCount == 0)
  }

  /// The least room over all subscriptions: what a lossless subject's publishers may send.
  package var leastRoom: Int {
    var least = Int.max
    for slot in unsafe outlets.indices {
      guard let outlet = unsafe outlets[slot] else { continue }
      least = unsafe min(least, outlet._withUnsafeGuaranteedRef { $0.available })
    }
    return outletCount == 0 ? 0 : least
  }

  // MARK: Values

  /// Sends one value to every subscription with room; returns how many had some and how many not.
  @discardableResult
  package func publish(_ bytes: UnsafeRawBufferPointer) -> (to: Int, missed: Int) {
    var value = unsafe PublishedValue(bytes)
    published &+= 1
    publishing &+= 1
    defer {
      publishing &-= 1
      if publishing == 0 { compact() }
    }
    guard kept == nil else { return keep(&value) }
    let result = passThrough(&value)
    delivered &+= result.to
    missed &+= result.missed
    return result
  }

  /// How many values may come as one batch: those that every subscription takes at once.
  package var batchRoom: Int {
    guard kept == nil, singleReaders == 0, completion == nil else { return 0 }
    guard isLossless else { return largestBatch }
    return hasRoom ? min(leastRoom, largestBatch) : 0
  }

  /// Sends values to every subscription, to one after the other; `batchRoom` has allowed for them.
  ///
  /// - Returns: how often one found no demand.
  @discardableResult
  package func publish(_ batch: ValueBatch) -> Int {
    let before = missed
    let mark = timeSlice.mark
    published &+= batch.count
    publishing &+= 1
    batch.isShared = outletCount > 1
    for index in unsafe outlets.indices {
      unsafe outlets[index]?._withUnsafeGuaranteedRef { outlet in
        let result = outlet.offer(batch)
        delivered &+= result.to
        missed &+= result.missed
      }
    }
    publishing &-= 1
    if publishing == 0 { compact() }
    if largestBatch < .max { adaptBatches(batch.count, isOver(since: mark)) }
    return missed &- before
  }

  /// Values that took long come in smaller batches, as long as that is so.
  private func adaptBatches(_ count: Int, _ tookLong: Bool) {
    if tookLong {
      largestBatch = max(1, count / 4)
    } else if largestBatch < Self.batchOfPipelines {
      largestBatch = min(2 * largestBatch, Self.batchOfPipelines)
    }
  }

  /// The most values that come at once to pipelines, where each stage takes all of them before the next.
  private static let batchOfPipelines = 256

  private func passThrough(_ value: inout PublishedValue) -> (to: Int, missed: Int) {
    var to = 0
    var missed = 0
    let count = unsafe outlets.count
    var index = 0
    while index < count {
      unsafe outlets[index]?._withUnsafeGuaranteedRef { outlet in
        if outlet.available > 0 {
          if outlet.available != .max { outlet.available &-= 1 }
          to &+= 1
          outlet.offer(&value)
          if outlet.available == 0 { outletRanOut(outlet) }
        } else {
          missed &+= 1
          outlet.missed(1, .noDemand)
        }
      }
      index &+= 1
    }
    return (to, missed)
  }

  // MARK: Subscriptions

  /// Adds `outlet` at the end, then calls `subscribed`, which may ask for values.
  package func add(_ outlet: Outlet, subscribed: () -> Void) {
    outlet.subject = self
    outlet.cursor = kept?.start ?? 0
    outlet.slot = unsafe outlets.count
    outlet.isStarved = true
    outlet.starvedSince = host.now
    outlet.unreadSince = host.now
    unsafe outlets.append(.passRetained(outlet))
    outletCount += 1
    if !outlet.takesBatches { singleReaders += 1 }
    starved += 1
    subscribed()
    if let completion, outlet.subject != nil, kept.map({ outlet.cursor >= $0.end }) ?? true {
      end(outlet, completion)
    } else {
      noteOpen()
    }
  }

  /// The outlet of a pipeline, which is being added, takes batches, after all.
  ///
  /// From then on they are small, so that stages can be many.
  package func outletTakesBatches() {
    singleReaders -= 1
    largestBatch = min(largestBatch, Self.batchOfPipelines)
  }

  /// Takes `outlet` out; it is released at the end of the turn.
  package func remove(_ outlet: Outlet) {
    guard outlet.slot >= 0, let reference = unsafe outlets[outlet.slot] else { return }
    unsafe outlets[outlet.slot] = nil
    outlet.slot = -1
    outletCount -= 1
    if !outlet.takesBatches { singleReaders -= 1 }
    if outlet.isStarved { starved -= 1 }
    host.bury(outlet)
    unsafe reference.release()
    if publishing == 0 { compact() }
    noteOpen()
  }

  package func end(_ outlet: Outlet, _ completion: Completion) {
    outlet.subject = nil
    remove(outlet)
    outlet.finish(completion)
  }

  package func fail(_ outlet: Outlet, _ failure: PipelineFailure) {
    countUnread(outlet)
    end(outlet, .failure(failure))
  }

  package func outletGotRoom(_ outlet: Outlet) {
    if outlet.isStarved, outlet.available > 0 {
      if starved == outletCount { roomSince = host.now }
      outlet.isStarved = false
      starved -= 1
      whenWanted?()
    }
    if kept != nil { readKept(outlet) }
    noteOpen()
  }

  package func outletRanOut(_ outlet: Outlet) {
    guard outlet.subject != nil else { return }
    outlet.available = outlet.refill()
    guard outlet.available == 0, outlet.subject != nil, !outlet.isStarved else { return }
    outlet.isStarved = true
    outlet.starvedSince = host.now
    starved += 1
  }

  private func compact() {
    guard unsafe outlets.count > outletCount else { return }
    if unsafe outlets.count < 8 || outletCount * 2 <= outlets.count {
      unsafe outlets.removeAll { unsafe $0 == nil }
      for slot in unsafe outlets.indices {
        unsafe outlets[slot]?._withUnsafeGuaranteedRef { $0.slot = slot }
      }
    }
  }

  /// Calls `body` with every subscription, in order.
  package func forEachOutlet(_ body: (Outlet) -> Void) {
    let outlets = outlets
    for slot in unsafe outlets.indices {
      if let outlet = unsafe outlets[slot] { unsafe body(outlet.takeUnretainedValue()) }
    }
  }

  // MARK: The end

  /// Ends the subject; subscriptions to a subject that keeps values read those first.
  package func complete(_ completion: Completion) {
    guard outcome == nil else { return }
    outcome = completion
    host.completed(self)
    forEachOutlet { outlet in
      if let values = kept, outlet.cursor < values.end { return }
      end(outlet, completion)
    }
    endPublishers(.completed, "subject \(name) has completed")
  }

  /// Ends every stream on the subject, which is no longer to be found by its name.
  package func delete() {
    let failure = PipelineFailure(.deleted, "subject \(name) was deleted")
    outcome = .failure(failure)
    forEachOutlet { fail($0, failure) }
    host.keptChanged(by: -(kept?.bytes ?? 0))
    kept.take()?.letGo()
    endPublishers(.deleted, "subject \(name) was deleted")
    host.bury(self)
    host.deleted(self)
  }

  private func endPublishers(_ reason: ErrorCode, _ text: String) {
    for feed in feeds { feed.subjectEnded(reason) }
    let code = reason == .deleted ? ErrorCode.unknownName : reason
    for send in waiting.removeAll() { send.end(.refused(code, text)) }
    for publication in publications { publication.subjectEnded(reason) }
  }

  // MARK: Publishers

  /// A publication holds so many values more, or fewer.
  package func noteHeld(_ change: Int) {
    if waitingCount == 0 { waitingSince = host.now }
    heldCount += change
  }

  /// Drops what those have left waiting who are gone.
  package func dropAbandoned() {
    for publication in publications where publication.isAbandoned {
      missed += publication.giveUp()
    }
    missed += waiting.removeAbandoned()
    noteOpen()
  }

  package func add(_ publication: Publication) {
    publication.place = publications.count
    publications.append(publication)
    noteOpen()
  }

  package func remove(_ publication: Publication) {
    let place = publication.place
    guard publications.indices.contains(place), publications[place] === publication else { return }
    publications.swapAt(place, publications.count - 1)
    publications[place].place = place
    publications.removeLast()
    noteOpen()
  }

  package func add(_ feed: any SubjectFeed) { feeds.append(feed) }

  package func remove(_ feed: any SubjectFeed) { feeds.removeAll { $0 === feed } }

  /// Keeps a SEND or a line of a FEED until there is room for its value.
  package func wait(_ send: WaitingSend) {
    if waitingCount == 0 { waitingSince = host.now }
    waiting.append(send)
    checkStallLater()
  }

  /// Forgets a SEND that gave up or whose client is gone.
  package func forget(_ send: WaitingSend) { waiting.remove(send) }

  /// Asks for `resume()` before the turn ends.
  package func noteOpen() {
    guard !isOpenNoted, completion == nil, isLossless || !publications.isEmpty else { return }
    isOpenNoted = true
    host.noteOpen(self)
  }

  /// Sends what waits, as far as there is room, and tells the publishers what they may send now.
  ///
  /// The publications with values, and the SENDs and FEEDs as one more, take turns.
  package func resume() {
    isOpenNoted = false
    guard completion == nil, isLossless, !isPaced else { return }
    let mark = timeSlice.mark
    while waitingCount > 0, starved == 0, outletCount > 0, takeTurns(since: mark) {}
    if isOver(since: mark), waitingCount > 0 { goOnLater() }
    let room = starved == 0 && waiting.isEmpty ? leastRoom : 0
    for publication in publications { publication.grant(upTo: room) }
    if isWaitedFor { checkStallLater() }
  }

  /// Whether values have cost so much since this `mark` of the timeSlice that others come first.
  private func isOver(since mark: Int) -> Bool {
    timeSlice.isOver && timeSlice.isMarked(since: mark)
  }

  /// Sends more of what waits in a later turn.
  private func goOnLater() {
    isPaced = true
    timeSlice.wait { [self] in
      isPaced = false
      resume()
    }
  }

  /// Sends one value of each who has some waiting, as far as there is room; false if nobody has, or
  /// the turn has lasted long enough.
  private func takeTurns(since mark: Int) -> Bool {
    let ready = publications.filter { $0.held > 0 }
    let count = ready.count + (waiting.isEmpty ? 0 : 1)
    for _ in 0..<count where starved == 0 && outletCount > 0 {
      if isOver(since: mark) { return false }
      turn = (turn + 1) % count
      if turn < ready.count {
        if ready[turn].held > 0 { ready[turn].publishHeld() }
      } else if let send = waiting.popFirst() {
        let result = unsafe send.value.withUnsafeBytes { unsafe publish($0) }
        send.end(.sent(to: result.to, missed: result.missed))
      }
    }
    return count > 0
  }
}
