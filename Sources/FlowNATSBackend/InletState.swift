internal import FlowNATS

/// The position of an inlet in its stream, and its consumer.
///
/// Transitions have no side effects; they return the steps that the inlet performs in order.
/// Answers to earlier attempts are filtered out before.
struct InletState {
  enum Phase {
    case closed
    /// There are subscriptions, and the consumer is being made.
    case opening
    case open
    /// The last subscription has left, and the consumer is being deleted.
    case closing
  }

  struct Surroundings {
    var isStreamOpen: Bool
    var isLossless: Bool
    var isForReader: Bool
    /// Whether the reader's lease is held.
    var mayRead: Bool
    var hasSubscriptions: Bool
    /// Whether the subject has completed, or the server stops.
    var isOver: Bool
  }

  enum Step: Equatable {
    /// Values may now be read a second time.
    case forgetRepetitions
    /// Finds the reader's position; calls `placeIsFound`.
    case findPlace
    case deleteObsolete
    /// Deletes consumers of a dead process, then requests the stream.
    case deleteLeftBehind
    /// Requests the stream's state, and has a consumer made.
    case requestStream
    /// Ignores all further values of the present consumer.
    case detach
    case beginLater(nanoseconds: Int64)
    case close
    /// Drops values that wait for room.
    case forgetWaiting
    /// Purges delivered values, then calls `deleteConsumers`.
    case finishClosing
    /// Forgets which values were delivered.
    case forgetAcknowledgements
    case notifyOpen
    case notifyClosed
    case followReaders
  }

  /// How a value's sequence relates to the expected one.
  enum Arrival: Equatable {
    /// The expected value; `missed` values before it are gone.
    case next(missed: UInt64)
    /// The reader has had it already.
    case again
    /// Values before it did not come, so reading starts again.
    case gap
  }

  private(set) var phase = Phase.closed
  private(set) var retry = Retry(20_000_000, 1_000_000_000)
  /// The next value's sequence, once known.
  private(set) var expected: UInt64?
  /// The name of the present consumer, which may still be being made.
  private(set) var consumer: String?
  /// Consumers that should not exist any more.
  var obsolete: Set<String> = []
  /// Whether the present consumer has delivered nothing yet.
  private var isFirst = true
  /// Whether the present consumer is the first: values purged before it count as not meant for it.
  private var isNew = false
  /// Whether the reader has read before, here or on another server.
  private(set) var wasElsewhere = false
  /// Whether the reader got the subject's initial value and has acknowledged nothing since.
  ///
  /// It gets this value again, because NATS stores no position for it.
  var hadInitial = false
  /// How many values that the reader has had are still to come again.
  var again: UInt64 = 0

  private mutating func enter(_ phase: Phase) {
    if self.phase == .open { isNew = false }
    self.phase = phase
  }

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

  /// Starts again at the expected value, because values may be missing.
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
    // A leftover consumer would look like another reader that holds the values.
    return [.forgetRepetitions, obsolete.isEmpty ? .deleteLeftBehind : .deleteObsolete]
  }

  /// Continues behind `floor`, or behind `last` if that is later.
  mutating func placeIsFound(_ consumers: [ConsumerPage.Row], floor: UInt64?, last: UInt64) {
    obsolete.formUnion(consumers.map(\.name))
    guard let floor else { return }
    expected = max(floor, last) + 1
    wasElsewhere = true
    hadInitial = floor == 0 && consumers.contains(where: \.isInitial)
  }

  /// Records that a consumer starting at `next` is about to be made.
  mutating func consumerIsWanted(_ name: String, at next: UInt64) {
    if expected == nil { isNew = true }
    expected = next
    consumer = name
    isFirst = true
  }

  /// Marks the replaced consumer as obsolete.
  mutating func replaceConsumer() {
    if let consumer { obsolete.insert(consumer) }
  }

  mutating func consumerIsMade() {
    enter(.open)
    retry.reset()
  }

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

  /// Closes the inlet; `hasGoneOut` says whether NATS may not know of a delivered value.
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

  /// Stops reading on this server, and keeps the consumer.
  mutating func letGo() -> [Step] {
    enter(.closed)
    retry.begin()
    return [.forgetWaiting, .detach, .notifyOpen, .notifyClosed]
  }
}
