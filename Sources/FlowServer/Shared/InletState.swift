internal import FlowNATS

/// Where an inlet is in the stream that it reads, and through which consumer.
///
/// A transition calls nobody; it returns the steps that the inlet performs, in order. Answers to earlier attempts are
/// not passed to it.
struct InletState {
  enum Phase {
    case closed
    /// There are subscriptions, and a consumer is being made.
    case opening
    case open
    /// The last subscription has left, and the consumer is being deleted.
    case closing
  }

  /// Facts about the subject and its stream at the time of a transition.
  struct Surroundings {
    var isStreamOpen: Bool
    var isLossless: Bool
    /// Whether it reads for a run or durable subscription.
    var isForReader: Bool
    /// Whether no other server may read for the same reader.
    var mayRead: Bool
    var hasSubscriptions: Bool
    /// Whether the subject has completed, or the server stops.
    var isOver: Bool
  }

  enum Step: Equatable {
    /// What is read next may have been read before.
    case forgetRepetitions
    /// Finds the place of the reader, here or on another server; calls `placeIsFound`.
    case findPlace
    /// Deletes obsolete consumers; calls `obsoleteAreDeleted`.
    case deleteObsolete
    /// Deletes the consumers of a process that has died, then requests the stream.
    case deleteLeftBehind
    /// Requests the stream's answer, and has a consumer made.
    case requestStream
    /// Detaches the present consumer: its values no longer count.
    case detach
    /// Calls `begin` after `nanoseconds`.
    case beginLater(nanoseconds: Int64)
    case close
    /// Drops the values that wait for room.
    case forgetWaiting
    /// Has purged what has gone out; then calls `deleteConsumers`.
    case finishClosing
    /// Forgets what has gone out.
    case forgetAcknowledgements
    case notifyOpen
    case notifyClosed
    /// Calls `followReaders`.
    case followReaders
  }

  /// What a value means by its sequence.
  enum Arrival: Equatable {
    /// The expected value; so many before it are gone.
    case next(missed: UInt64)
    /// The reader has had it.
    case again
    /// Values before it did not come: it is read anew.
    case gap
  }

  private(set) var phase = Phase.closed
  private(set) var retry = Retry(20_000_000, 1_000_000_000)
  /// The place of the value that comes next, once that is known.
  private(set) var expected: UInt64?
  /// The name of the consumer that is asked, or being made.
  private(set) var consumer: String?
  /// Consumers that may still be there and are not to be.
  var obsolete: Set<String> = []
  /// Whether no value has come through the present consumer.
  private var isFirst = true
  /// Whether no consumer was there before the present one: values that are purged before it is made were not to be
  /// read here.
  private var isNew = false
  /// Whether the reader was on another server, or here before.
  private(set) var wasElsewhere = false
  /// Whether the reader was given what the subject had before any value was sent, and has acknowledged nothing since:
  /// it comes again, since NATS keeps no place for it.
  var hadInitial = false
  /// The number of values to come again that the reader has had.
  var again: UInt64 = 0

  private mutating func enter(_ phase: Phase) {
    if self.phase == .open { isNew = false }
    self.phase = phase
  }

  // MARK: Opening

  mutating func followReaders(_ world: Surroundings) -> [Step] {
    switch phase {
    case .closed: return world.hasSubscriptions ? open(world) : [.notifyOpen]
    case .opening, .open:
      guard !world.isForReader else { return [] }
      return [world.hasSubscriptions ? .notifyClosed : .close]
    case .closing: return []
    }
  }

  mutating func streamIsOpen(_ world: Surroundings) -> [Step] {
    switch phase {
    case .closed: world.hasSubscriptions ? open(world) : [.deleteObsolete]
    case .opening: begin(world)
    case .open: renew(world)
    case .closing: world.isLossless ? [.finishClosing] : deleteConsumers(world)
    }
  }

  mutating func linkIsAway() {
    retry.begin()
    if phase == .open { enter(.opening) }
  }

  private mutating func open(_ world: Surroundings) -> [Step] {
    guard phase == .closed, !world.isOver else { return [] }
    enter(.opening)
    return begin(world)
  }

  /// Begins anew at the expected value, since something may be missing.
  mutating func renew(_ world: Surroundings) -> [Step] {
    guard world.hasSubscriptions else { return [] }
    enter(.opening)
    retry.begin()
    if let consumer { obsolete.insert(consumer) }
    return [.detach, .beginLater(nanoseconds: retry.pause())]
  }

  mutating func begin(_ world: Surroundings) -> [Step] {
    guard phase == .opening, world.isStreamOpen else { return [] }
    retry.begin()
    guard world.mayRead else { return [] }
    guard expected == nil else { return [.requestStream] }
    if world.isForReader { return [.forgetRepetitions, .findPlace] }
    // A consumer that was left behind would be taken for somebody's who holds what is there.
    return [.forgetRepetitions, obsolete.isEmpty ? .deleteLeftBehind : .deleteObsolete]
  }

  /// The consumers that the reader has had are known: it goes on behind `floor`, and behind `last` if that is further.
  mutating func placeIsFound(_ consumers: [ConsumerPage.Row], floor: UInt64?, last: UInt64) {
    obsolete.formUnion(consumers.map(\.name))
    guard let floor else { return }
    expected = max(floor, last) + 1
    wasElsewhere = true
    hadInitial = floor == 0 && consumers.contains(where: \.isInitial)
  }

  /// A consumer of this name is about to be made, which begins at `next`.
  mutating func consumerIsWanted(_ name: String, at next: UInt64) {
    if expected == nil { isNew = true }
    expected = next
    consumer = name
    isFirst = true
  }

  /// The consumer that a new one replaces is obsolete.
  mutating func replaceConsumer() {
    if let consumer { obsolete.insert(consumer) }
  }

  mutating func consumerIsMade() {
    enter(.open)
    retry.reset()
  }

  // MARK: Values

  mutating func arrive(_ sequence: UInt64) -> Arrival? {
    guard phase == .open, let expected else { return nil }
    again = sequence < expected ? expected - sequence - 1 : 0
    guard sequence >= expected else { return .again }
    guard sequence == expected || isFirst else { return .gap }
    let missed = isNew ? 0 : sequence - expected
    isFirst = false
    isNew = false
    self.expected = sequence + 1
    return .next(missed: missed)
  }

  // MARK: Closing

  /// The last subscription has left; `hasGoneOut` says whether a value has gone out that NATS may not know of.
  mutating func close(_ world: Surroundings, hasGoneOut: Bool) -> [Step] {
    switch phase {
    case .closed: return [.notifyClosed]
    case .closing: return []
    case .opening, .open:
      let isFinishing = world.isLossless && (phase == .open || hasGoneOut)
      enter(.closing)
      retry.begin()
      replaceConsumer()
      let steps = [Step.forgetWaiting, .notifyOpen, .detach]
      return isFinishing ? steps + [Step.finishClosing] : steps + deleteConsumers(world)
    }
  }

  mutating func deleteConsumers(_ world: Surroundings) -> [Step] {
    guard phase == .closing else { return [] }
    return world.isStreamOpen && !obsolete.isEmpty ? [.deleteObsolete] : closed()
  }

  mutating func obsoleteAreDeleted(_ world: Surroundings) -> [Step] {
    switch phase {
    case .opening: begin(world)
    case .closing: closed()
    case .closed, .open: []
    }
  }

  private mutating func closed() -> [Step] {
    phase = .closed
    consumer = nil
    expected = nil
    return [.forgetAcknowledgements, .notifyClosed, .followReaders]
  }

  /// The inlet reads no more on this server, and its consumer stays.
  mutating func letGo() -> [Step] {
    enter(.closed)
    retry.begin()
    return [.forgetWaiting, .detach, .notifyOpen, .notifyClosed]
  }
}
