public import FlowCore
public import FlowLanguage
public import FlowWire

/// One subscription at a subject: how many values it may be sent now, and where they go.
///
/// A subclass is a stream that reads the subject itself, or the start of a pipeline.
open class Outlet {
  /// The subject that it has been added to, also when the subscription has ended.
  @safe @exclusivity(unchecked) package internal(set) final var home: ServerSubject?  // memory 6
  /// `nil` once the subscription has ended.
  package final var subject: ServerSubject? { isAttached ? home : nil }
  /// The place among the subject's outlets, in order of subscription.
  final var slot: Int32 = -1
  /// Whether the subscription has begun and not ended.
  @safe @exclusivity(unchecked) final var isAttached = false
  /// Whether the subject counts this outlet among those without credit.
  final var isStarved = false
  /// Whether it leads to anything that another outlet of the subject may lead to as well.
  final var mayMeet = false
  /// Values it may be sent now; `Int.max` is no limit.
  package final var available: Int { credit }
  // A property that other targets cannot see needs no mark: the compiler proves each use exclusive.
  final var credit = 0
  /// When it last ran out of credit.
  final var starvedSince: Int64 = 0
  /// On a subject that keeps values: the number of the next one to read.
  final var cursor: UInt64 = 0
  /// Since when there is a kept value that it has not read.
  final var unreadSince: Int64 = 0

  /// Who it serves, as LIST and SHOW say it.
  open var owner: String { "" }

  /// The name of the run that it serves, if it is one.
  open var run: String? { nil }

  /// Whether it has no credit since what was sent to its client is not read.
  open var isUnread: Bool { false }

  /// Takes one value; `available` has been lowered for it.
  open func offer(_ value: inout PublishedValue) {}

  /// Whether it takes values in batches.
  open var takesBatches: Bool { false }

  /// How many values it may be given as one batch now, beside its credit; asked where it `mayMeet`.
  open var batchRoom: Int { .max }

  /// Whether no other outlet leads to all that it leads to, as far as this search has come; asked
  /// where it `mayMeet` and `takesBatches`.
  open func isOnlyWay(in search: Int) -> Bool { false }

  /// Whether it takes batches as a whole, if those that may meet do not when they `separate`.
  final func takesTogether(_ separate: Bool) -> Bool { takesBatches && !(separate && mayMeet) }

  /// Takes of the values of a batch what it has credit for, and counts the rest as missed; says how
  /// many of each.
  ///
  /// Called only where `takesBatches`.
  open func offer(_ batch: ValueBatch, _ places: Range<Int>) -> (to: Int, missed: Int) { (0, 0) }

  /// Called when `available` has become 0: what it may be if more was asked for already.
  open func requestMore() -> Int { 0 }

  /// Counts values that this outlet did not get.
  open func missed(_ count: Int, _ reason: DropReason) {}

  /// Takes the end.
  open func finish(_ completion: Subscribers.Completion<PipelineFailure>) {}

  public init() {}

  /// Adds to `available`, and lets the subject use it.
  package final func allow(_ count: Int) {
    credit = addDemand(credit, count)
    subject?.outletGotCredit(self)
  }

  /// Passes of a batch what it has credit for to `emit`; says how many that were, and how many it missed.
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

  /// Lowers what it may be sent.
  package final func lower(by count: Int) { credit -= count }

  /// Ends the subscription from this side.
  package final func leave() {
    guard let subject else { return }
    isAttached = false
    credit = 0
    subject.remove(self)
  }
}

/// The outlet through which a pipeline reads a subject.
package final class PipelineOutlet: Outlet, PayloadSource, CustomStringConvertible {
  private var subscriber: AnySubscriber<Value, PipelineFailure>?
  /// The subscriber, if from it on down to a stream all take payloads.
  private var receiver: (any PayloadReceiver)?
  /// Whether payloads may come together.
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
    mayMeet = context.mayMeet
  }

  package var description: String { subject?.name ?? "" }

  /// Whom its pipeline serves.
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
      if areTogether { mayMeet = receiver.reach == .shared }
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
      // What is taken at once may give back what it takes: then it is more than there was credit for.
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

/// A subject as a pipeline sees it: looked up by name when subscribed to.
package struct SubjectPublisher: Publisher {
  package typealias Output = Value
  package typealias Failure = PipelineFailure

  private let name: String
  private let known: ServerSubject?
  private let host: any SubjectHost
  private let context: any SubjectReader
  private let counters: StageCounters?

  /// Makes one of the subject that is `known`, or else of the one called `name`.
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
