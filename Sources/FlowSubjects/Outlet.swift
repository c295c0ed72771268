public import FlowCore
public import FlowLanguage
public import FlowWire

/// A subscription to a subject: its credit, and where its values go.
///
/// Subclasses are a stream that reads the subject itself, and the start of a pipeline.
open class Outlet {
  /// The subject, kept after the subscription has ended.
  @safe @exclusivity(unchecked) package internal(set) final var home: ServerSubject?  // memory 6
  package final var subject: ServerSubject? { isAttached ? home : nil }
  /// The index among the subject's outlets, in order of subscription.
  final var slot: Int32 = -1
  @safe @exclusivity(unchecked) final var isAttached = false
  /// Whether the subject counts this outlet as one without credit.
  final var isStarved = false
  /// Whether its values may reach a place that another outlet of the subject reaches too.
  final var mayConverge = false
  /// Whether a `flow=slowest` subject waits for it; set before it joins.
  ///
  /// Otherwise it misses the values that come while it has no credit, as with `flow=free`.
  package final var holds = true
  /// The credit: how many values may be sent now; `Int.max` is no limit.
  package final var available: Int { credit }
  // A property that other targets cannot see needs no mark: the compiler proves each use exclusive.
  final var credit = 0
  final var starvedSince: Int64 = 0
  /// Set once it has held up others.
  final var holdUp: HoldUp?
  /// The number of the next kept value to read.
  final var cursor: UInt64 = 0
  /// Since when a kept value waits to be read.
  final var unreadSince: Int64 = 0

  /// Whom it serves, as LIST and SHOW print it.
  open var owner: String { "" }

  open var run: String? { nil }

  /// Whether it has no credit because its client does not read.
  open var isUnread: Bool { false }

  /// Receives one value; the caller has already lowered `available`.
  open func offer(_ value: inout PublishedValue) {}

  open var takesBatches: Bool { false }

  /// How many values a batch may have now, besides the credit; asked only if `mayConverge`.
  open var batchRoom: Int { .max }

  /// Whether no other outlet found so far by `search` leads to the same places.
  ///
  /// Asked only if `mayConverge` and `takesBatches`.
  open func isOnlyWay(in search: Int) -> Bool { false }

  /// Whether it takes whole batches; with `separate`, outlets that may converge do not.
  final func takesTogether(_ separate: Bool) -> Bool { takesBatches && !(separate && mayConverge) }

  /// Takes as many values of the batch as it has credit for, and counts the rest as missed.
  ///
  /// Called only if `takesBatches`.
  open func offer(_ batch: ValueBatch, _ places: Range<Int>) -> (to: Int, missed: Int) { (0, 0) }

  /// Returns the new credit when `available` has become 0 and more was requested already.
  open func requestMore() -> Int { 0 }

  open func missed(_ count: Int, _ reason: DropReason) {}

  open func finish(_ completion: Subscribers.Completion<PipelineFailure>) {}

  public init() {}

  /// Adds credit, and lets the subject use it.
  package final func allow(_ count: Int) {
    credit = addDemand(credit, count)
    subject?.outletGotCredit(self)
  }

  /// Passes values to `emit` while it has credit; returns how many, and how many it missed.
  package final func offer(
    _ places: Range<Int>,
    emit: (Range<Int>) -> Void
  ) -> (to: Int, missed: Int) {
    var rest = places
    while credit > 0, !rest.isEmpty, let subject {
      let taken = rest.prefix(credit)
      if credit != .max { credit -= taken.count }
      emit(taken)
      rest = taken.upperBound..<rest.upperBound
      if credit == 0 { subject.outletRanOut(self) }
    }
    return (places.count - rest.count, isAttached ? rest.count : 0)
  }

  package final func lower(by count: Int) { credit -= count }

  package final func leave() {
    guard let subject else { return }
    isAttached = false
    credit = 0
    subject.remove(self)
  }
}

/// The subscription through which a pipeline reads a subject.
package final class PipelineOutlet: Outlet, PayloadSource, CustomStringConvertible {
  private var subscriber: AnySubscriber<Value, PipelineFailure>?
  /// The subscriber, if all stages from it down to a stream take payloads.
  private var receiver: (any PayloadReceiver)?
  /// Whether payloads may come in batches.
  private var areTogether = false
  private let context: any SubjectReader
  private let work: Work
  private let counters: StageCounters?

  package init(
    _ subscriber: AnySubscriber<Value, PipelineFailure>,
    subject: ServerSubject,
    context: any SubjectReader,
    counters: StageCounters?
  ) {
    self.subscriber = subscriber
    self.context = context
    work = context.work
    self.counters = counters
    super.init()
    mayConverge = context.mayConverge
    holds = context.holds
  }

  package var description: String { subject?.name ?? "" }

  package var reader: any SubjectReader { context }

  package override var owner: String { context.label }

  package override var run: String? { context.run }

  package override var isUnread: Bool { context.isUnread }

  package override func offer(_ value: inout PublishedValue) {
    guard let subscriber else { return }
    counters?.sent(1)
    if let receiver, value.isOfBatch {
      work.payloadComes()
      add(unsafe receiver.receive(value.bytes))
    } else {
      add(subscriber.receive(value.value))
    }
    work.delivered(unsafe value.bytes.count)
  }

  package func handPayloads(to receiver: any PayloadReceiver) {
    guard let subject, self.receiver == nil, subscriber?.hides(receiver) == true else { return }
    subject.change(self) {
      self.receiver = receiver
      areTogether = receiver.reach != .anywhere
      if areTogether { mayConverge = receiver.reach == .shared }
    }
  }

  package override var batchRoom: Int { context.batchRoom }

  package override var takesBatches: Bool { areTogether }

  package override func isOnlyWay(in search: Int) -> Bool {
    receiver?.isOnlyWay(in: search) ?? false
  }

  package override func offer(
    _ batch: ValueBatch,
    _ places: Range<Int>
  ) -> (to: Int, missed: Int) {
    guard let receiver else { return (0, 0) }
    var rest = places
    work.payloadComes()
    while credit > 0, !rest.isEmpty {
      let taken = rest.prefix(receiver.room(for: batch.largest))
      guard !taken.isEmpty else { break }
      rest = taken.upperBound..<rest.upperBound
      // The receiver may return demand while it takes values, so more than the credit may be taken.
      if credit != .max { credit -= taken.count }
      counters?.sent(taken.count)
      add(receiver.receive(unsafe Payloads(taken, of: batch.start, largest: batch.largest)))
      if credit == 0 { subject?.outletRanOut(self) }
    }
    while credit > 0, let next = rest.popFirst() {
      if credit != .max { credit -= 1 }
      counters?.sent(1)
      add(unsafe receiver.receive(batch[next]))
      if credit == 0 { subject?.outletRanOut(self) }
    }
    let taken = places.count - rest.count
    work.delivered(taken << 6 + taken * batch.largest)
    let left = isAttached ? rest.count : 0
    if left > 0 { missed(left, .noDemand) }
    return (taken, left)
  }

  package override func missed(_ count: Int, _ reason: DropReason) {
    counters?.missed(count)
    context.dropped(count, reason)
  }

  package override func finish(_ completion: Subscribers.Completion<PipelineFailure>) {
    let subscriber = subscriber
    self.subscriber = nil
    receiver = nil
    counters?.sourceEnded()
    subscriber?.receive(completion: completion)
  }

  package func request(_ demand: Subscribers.Demand) {
    precondition(demand > 0, "demand is 0, expected 1 or more")
    add(demand)
  }

  private func add(_ demand: Subscribers.Demand) {
    guard demand > 0, isAttached else { return }
    counters?.asked(demand)
    allow(demand.max ?? .max)
  }

  package func cancel() {
    subscriber = nil
    counters?.sourceEnded()
    leave()
    receiver = nil
  }
}

/// A subject as a pipeline's source; looked up by name on subscription.
package struct SubjectPublisher: Publisher {
  package typealias Output = Value
  package typealias Failure = PipelineFailure

  private let name: String
  private let known: ServerSubject?
  private let host: any SubjectHost
  private let context: any SubjectReader
  private let counters: StageCounters?

  /// Uses `known` instead of looking up `name`, if there is one.
  package init(
    name: String,
    known: ServerSubject? = nil,
    host: any SubjectHost,
    context: any SubjectReader,
    counters: StageCounters?
  ) {
    self.name = name
    self.known = known
    self.host = host
    self.context = context
    self.counters = counters
  }

  package func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    guard let subject = known ?? host.subject(name) else {
      let failure = PipelineFailure(.deleted, "subject \(name) was deleted")
      return Fail(error: failure).receive(subscriber: subscriber)
    }
    let erased = AnySubscriber(subscriber)
    let outlet = PipelineOutlet(erased, subject: subject, context: context, counters: counters)
    subject.add(outlet) { erased.receive(subscription: outlet) }
  }
}
