package import FlowCore
package import FlowLanguage
package import FlowWire

/// A named subject: takes values from publishers, and sends them to its subscriptions in order.
///
/// With `flow=free` a subscription without credit misses the value. With `flow=slowest` the value
/// waits at its publisher until every subscription that `holds` has credit; the others miss what
/// comes while they have none.
@safe
package final class ServerSubject {
  package typealias Completion = Subscribers.Completion<PipelineFailure>

  package let name: String
  package let settings: SubjectSettings
  // memory 3, and memory 6 for the state.
  @safe package unowned(unsafe) let host: any SubjectHost  // outlives what is in it
  let timeSlice: TimeSlice

  /// Everything that changes with values and subscriptions.
  @safe
  struct State {
    var outcome: Completion?
    /// The completion that follows when held values have gone out.
    var ending: Completion?
    var counts = Counts()
    /// Deliveries to many subscriptions since a turn was last ended because of them.
    var handedOn = 0
    var publications: [Publication] = []
    var heldCount = 0
    // memory 4 for what it refers to.
    var outlets: ContiguousArray<Unmanaged<Outlet>?> = unsafe []
    var outletCount = 0
    /// How many subscriptions a `flow=slowest` subject does not wait for.
    var guests = 0
    var batches = BatchReaders()
    /// How many subscriptions without credit the subject waits for, if it has `flow=slowest`.
    var starved = 0
    var publishing = 0
    var kept: ReplayBuffer?
    /// Copies values to clients that use TAP.
    var tap: Tap?
    /// Whether values go to subscriptions only: no tap, nothing kept.
    var isPlain = true
    var waiting = WaitingSends()
    /// Since when values have waited without a pause.
    var waitingSince: Int64 = 0
    /// Since when at least one subscription has had credit.
    var creditSince: Int64 = 0
    var isResumeScheduled = false
    /// A pipeline of this name only; made on first use.
    var plainPipeline: Pipeline?
    /// Called when a subscription without credit gets some.
    var whenWanted: (() -> Void)?
    /// Called when the first subscription joins or the last one leaves.
    var whenReadersChange: (() -> Void)?
    /// Stores the values, if they live outside this server's memory.
    var backend: (any SubjectBackend)?
    /// The publisher of the value that an intake passes to its backend now.
    var sender: (any ValueSender)?
    /// Whether a value waits at its source.
    var waitsElsewhere = false
  }

  /// Counts values since the subject was made.
  struct Counts {
    var published = 0
    var delivered = 0
    var missed = 0
    /// Kept values that were dropped because they took too much memory.
    var forgotten = 0

    @inline(__always)
    mutating func add(_ result: (to: Int, missed: Int)) {
      delivered &+= result.to
      missed &+= result.missed
    }
  }

  @safe @exclusivity(unchecked) var state = State()
  package var completion: Completion? { state.outcome }
  /// Whether it has completed, or will once held values have gone out.
  package var takesNoMore: Bool { state.outcome != nil || state.ending != nil }
  package var published: Int { state.counts.published }
  package var delivered: Int { state.counts.delivered }
  package var missed: Int { state.counts.missed }
  package var forgotten: Int { state.counts.forgotten }
  package var publications: [Publication] { state.publications }
  @safe package var outlets: ContiguousArray<Unmanaged<Outlet>?> { unsafe state.outlets }
  package var outletCount: Int { state.outletCount }
  package var starved: Int { state.starved }
  /// How many subscriptions the subject waits for, if it has `flow=slowest`.
  package var holders: Int { state.outletCount - state.guests }
  /// How many subscriptions have no credit.
  package var withoutCredit: Int {
    guard state.guests > 0 else { return state.starved }
    var count = state.starved
    forEachOutlet { if !$0.holds, $0.isStarved { count += 1 } }
    return count
  }
  package var kept: ReplayBuffer? { state.kept }
  package var plainPipeline: Pipeline? {
    get { state.plainPipeline }
    set { state.plainPipeline = newValue }
  }
  package var whenWanted: (() -> Void)? {
    get { state.whenWanted }
    set { state.whenWanted = newValue }
  }
  package var whenReadersChange: (() -> Void)? {
    get { state.whenReadersChange }
    set { state.whenReadersChange = newValue }
  }
  package var backend: (any SubjectBackend)? {
    get { state.backend }
    set {
      state.backend = newValue
      if isIntake { state.isPlain = false }
    }
  }
  package var sender: (any ValueSender)? { state.sender }
  var feeds: [any SubjectFeed] = []
  /// Subjects whose values the failure's text may show.
  package var failureOrigins: [String] = []
  package internal(set) var isTap = false
  /// The index of the publication that was last resumed.
  var lastServed = 0
  /// Whether waiting values continue in a later turn.
  var resumesLater = false
  package var stallCheckIsDue = false
  var judgementIsDue = false

  package init(name: String, settings: SubjectSettings, host: any SubjectHost) {
    self.name = name
    self.settings = settings
    self.host = host
    timeSlice = host.timeSlice
    switch settings.kind {
    case .passthrough: state.kept = nil
    case .current(let initial):
      var values = ReplayBuffer(limit: 1)
      unsafe values.append(initial.withUnsafeBytes { unsafe Value(bytes: $0) })
      state.kept = values
    case .replay(let count): state.kept = ReplayBuffer(limit: count)
    }
    state.isPlain = state.kept == nil
  }

  deinit {
    for slot in unsafe state.outlets.indices { unsafe state.outlets[slot]?.release() }
  }

  /// The memory of kept values, and of values that departed publishers left waiting.
  package var bytes: Int {
    state.publications.reduce((state.kept?.bytes ?? 0) + state.waiting.abandonedBytes) {
      sum,
      publication in
      publication.isAbandoned ? sum + publication.bytes : sum
    }
  }

  package var isLossless: Bool { settings.flow == .slowest }

  /// Whether a new subscription gets only the end: a completed `current` subject has no value.
  private var isPast: Bool {
    guard case .current = settings.kind else { return false }
    return completion != nil
  }

  package var waitingCount: Int { state.waiting.count + state.heldCount }

  /// Whether a new value would go out at once.
  package var hasCredit: Bool {
    !isLossless || (state.starved == 0 && state.outletCount > 0 && waitingCount == 0)
  }

  /// The least credit of all that a lossless subject waits for, which limits its publishers.
  package var leastCredit: Int {
    var least = Int.max
    for slot in unsafe state.outlets.indices {
      guard let outlet = unsafe state.outlets[slot] else { continue }
      least = unsafe min(least, outlet._withUnsafeGuaranteedRef { $0.holds ? $0.credit : .max })
    }
    return state.outletCount == 0 ? 0 : least
  }

  // MARK: Values

  /// Sends a value to every subscription with credit; returns how many had credit and how many not.
  ///
  /// A backend later tells `sender` whether the value was stored.
  @discardableResult
  package func publish(
    _ bytes: UnsafeRawBufferPointer,
    from sender: (any ValueSender)? = nil
  ) -> (to: Int, missed: Int) {
    var value = unsafe PublishedValue(bytes)
    state.counts.published &+= 1
    state.publishing &+= 1
    defer {
      state.publishing &-= 1
      if state.publishing == 0 { compact() }
      if state.outletCount > Self.manyReaders { hasSent(1) }
    }
    guard state.isPlain else { return publishApart(&value, from: sender) }
    let result = passThrough(&value)
    state.counts.add(result)
    return result
  }

  /// Sends a value that is tapped, kept, or stored by a backend.
  private func publishApart(
    _ value: inout PublishedValue,
    from sender: (any ValueSender)?
  ) -> (to: Int, missed: Int) {
    unsafe state.tap?.pass(value.bytes)
    guard state.kept == nil else { return keep(&value) }
    state.sender = sender
    defer { state.sender = nil }
    let result = passThrough(&value)
    state.counts.add(result)
    return result
  }

  @inline(__always)
  func passThrough(
    _ value: inout PublishedValue,
    where isMeant: (Int, Outlet) -> Bool = { _, _ in true }
  ) -> (to: Int, missed: Int) {
    var to = 0
    var missed = 0
    let count = unsafe state.outlets.count
    var index = 0
    while index < count {
      unsafe state.outlets[index]?._withUnsafeGuaranteedRef { outlet in
        guard isMeant(index, outlet) else { return }
        if outlet.credit > 0 {
          if outlet.credit != .max { outlet.credit &-= 1 }
          to &+= 1
          outlet.offer(&value)
          if outlet.credit == 0 { outletRanOut(outlet) }
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

  /// Adds `outlet` as the last one, then calls `subscribed`, which may request values.
  package func add(_ outlet: Outlet, subscribed: () -> Void) {
    outlet.home = self
    outlet.isAttached = true
    outlet.cursor = state.kept.map { isPast ? $0.end : $0.start } ?? 0
    outlet.slot = unsafe Int32(state.outlets.count)
    outlet.isStarved = true
    outlet.starvedSince = host.now
    outlet.unreadSince = host.now
    if !isLossless { outlet.holds = true }
    unsafe state.outlets.append(.passRetained(outlet))
    state.outletCount += 1
    state.batches.count(outlet, 1)
    if state.outletCount == 1 { state.whenReadersChange?() }
    state.batches.joined(outlet)
    if outlet.holds { state.starved += 1 } else { state.guests += 1 }
    subscribed()
    if let completion, outlet.isAttached, state.kept.map({ outlet.cursor >= $0.end }) ?? true {
      end(outlet, completion)
    } else {
      scheduleResume()
    }
  }

  /// Removes `outlet`; it is released at the end of the turn.
  package func remove(_ outlet: Outlet) {
    let slot = Int(outlet.slot)
    guard slot >= 0, let reference = unsafe state.outlets[slot] else { return }
    unsafe state.outlets[slot] = nil
    outlet.slot = -1
    state.outletCount -= 1
    state.batches.count(outlet, -1)
    if !outlet.holds {
      state.guests -= 1
    } else if outlet.isStarved {
      state.starved -= 1
    }
    host.releaseLater(outlet)
    unsafe reference.release()
    if state.publishing == 0 { compact() }
    if state.outletCount == 0 { state.whenReadersChange?() }
    scheduleResume()
  }

  package func end(_ outlet: Outlet, _ completion: Completion) {
    outlet.isAttached = false
    remove(outlet)
    outlet.finish(completion)
  }

  /// Ends a subscription that has held up the others; `text` is the reason.
  package func endTooSlow(_ outlet: Outlet, _ text: String) {
    host.isTooSlow(outlet, for: self)
    fail(outlet, PipelineFailure(.tooSlow, text))
  }

  package func fail(_ outlet: Outlet, _ failure: PipelineFailure) {
    countUnread(outlet)
    end(outlet, .failure(failure))
  }

  package func outletGotCredit(_ outlet: Outlet) {
    if outlet.isStarved, outlet.credit > 0 {
      if isLossless { addHoldUp(outlet) }
      outlet.isStarved = false
      if outlet.holds {
        if state.starved == holders { state.creditSince = host.now }
        state.starved -= 1
      }
      state.whenWanted?()
    }
    if state.kept != nil { readKept(outlet) }
    scheduleResume()
  }

  package func outletRanOut(_ outlet: Outlet) {
    guard outlet.isAttached else { return }
    outlet.credit = outlet.requestMore()
    guard outlet.credit == 0, outlet.isAttached, !outlet.isStarved else { return }
    outlet.isStarved = true
    outlet.starvedSince = host.now
    if outlet.holds { state.starved += 1 }
    if let holdUp = outlet.holdUp { addUnseen(holdUp) }
  }

  func compact() {
    guard unsafe state.outlets.count > state.outletCount else { return }
    if unsafe state.outlets.count < 8 || state.outletCount * 2 <= state.outlets.count {
      unsafe state.outlets.removeAll { unsafe $0 == nil }
      for slot in unsafe state.outlets.indices {
        unsafe state.outlets[slot]?._withUnsafeGuaranteedRef { $0.slot = Int32(slot) }
      }
    }
  }

  package func forEachOutlet(_ body: (Outlet) -> Void) {
    let outlets = unsafe state.outlets
    for slot in unsafe outlets.indices {
      if let outlet = unsafe outlets[slot] { unsafe body(outlet.takeUnretainedValue()) }
    }
  }
}
