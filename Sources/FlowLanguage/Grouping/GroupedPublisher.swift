import FlowCore

/// One of the publishers that a stage divides its upstream into.
final class Group {
  /// What all values of the group have in common: for a window the time when it began.
  let key: Value
  let publisher = HotPublisher()
  /// Why nothing is made of the group, if its closure has no answer for it.
  var noAnswer: NoAnswer?

  init(key: Value = .null) { self.key = key }
}

/// Decides which group a value belongs to.
protocol Grouping: AnyObject {
  /// Begins; groups that are there before any value, and those that time makes, are sent by `open`,
  /// and are over when `close` is told.
  func start(open: @escaping (Group) -> Void, close: @escaping (Group) -> Void)
  /// The group that a value belongs to, which may be new, and whether it is the group's last.
  func group(
    for input: Incoming
  ) throws(PipelineFailure) -> (group: Group, isNew: Bool, isLast: Bool)
  /// Time makes no more groups.
  func stop()
}

/// Divides its values among publishers; nothing is lost.
///
/// The upstream is asked for one value at a time. A value waits until its group is asked for one,
/// and holds up all others meanwhile.
struct GroupedPublisher: Publisher {
  typealias Output = Group
  typealias Failure = PipelineFailure

  let upstream: AnyPublisher<Value, PipelineFailure>
  let memoryBudget: MemoryBudget
  /// Tells that values were dropped.
  let dropped: (Int, DropReason) -> Void
  /// Tells of a value that is left out.
  let leave: (LeftOut) -> Void
  /// Makes what decides for a new subscription.
  let grouping: () -> any Grouping

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Group, S.Failure == PipelineFailure {
    let held = HeldValues(of: "it", in: memoryBudget)
    upstream.subscribe(
      GroupingSubscriber(AnySubscriber(subscriber), grouping(), held, dropped, leave)
    )
  }
}

/// Used where the clock runs, as all of a running pipeline is.
private final class GroupingSubscriber: Subscriber, Subscription, PayloadReceiver {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private var downstream: AnySubscriber<Group, PipelineFailure>?
  private let grouping: any Grouping
  /// The value that waits.
  private let held: HeldValues
  private let dropped: (Int, DropReason) -> Void
  private let leave: (LeftOut) -> Void
  private var upstream: (any Subscription)?
  private var hasBegun = false
  /// Those that are not over, in the order of their beginning.
  private var open: [Group] = []
  /// The value that its group has not asked for yet.
  private var waiting: (value: Value, group: Group, isLast: Bool)?
  /// The group that is over but for the value that waits.
  private var closing: Group?
  private var isFinishing = false

  init(
    _ downstream: AnySubscriber<Group, PipelineFailure>,
    _ grouping: any Grouping,
    _ held: HeldValues,
    _ dropped: @escaping (Int, DropReason) -> Void,
    _ leave: @escaping (LeftOut) -> Void
  ) {
    self.downstream = downstream
    self.grouping = grouping
    self.held = held
    self.dropped = dropped
    self.leave = leave
  }

  // MARK: The upstream

  func receive(subscription: any Subscription) {
    guard upstream == nil else { return subscription.cancel() }
    upstream = subscription
    downstream?.receive(subscription: self)
    upstream?.mayHandPayloads(to: self)
  }

  func receive(_ input: Value) -> Subscribers.Demand { take(.value(input)) }

  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    unsafe take(.payload(payload))
  }

  /// It passes on one value after the other, and may come to read its subject in between.
  func room(for largest: Int) -> Int { 0 }

  func receive(_ payloads: Payloads) -> Subscribers.Demand { .none }

  var reach: PayloadReach { .anywhere }

  func isOnlyWay(in search: Int) -> Bool { false }

  private func take(_ input: Incoming) -> Subscribers.Demand {
    guard downstream != nil else { return .none }
    do throws(PipelineFailure) {
      let (group, isNew, isLast) = try grouping.group(for: input)
      if isNew { begin(group) }
      if group.publisher.isReady {
        deliver(input, to: group, isLast)
        return .max(1)
      }
      let value = input.value
      waiting = (value, group, isLast)
      try held.replace(with: value)
      return .none
    } catch {
      if let leftOut = error.leftOut(input.value) {
        leave(leftOut)
        return downstream == nil ? .none : .max(1)
      }
      let upstream = upstream
      end(.failure(error))
      upstream?.cancel()
      return .none
    }
  }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    upstream = nil
    grouping.stop()
    if case .finished = completion, waiting != nil {
      isFinishing = true
    } else {
      end(completion)
    }
  }

  // MARK: The groups

  private func begin(_ group: Group) {
    open.append(group)
    group.publisher.onDemand = { [weak self, weak group] in
      guard let self, let group, self.waiting?.group === group, self.deliver() else { return }
      if self.isFinishing { self.end(.finished) } else { self.upstream?.request(.max(1)) }
    }
    _ = downstream?.receive(group)
  }

  private func close(_ group: Group) {
    if waiting?.group === group {
      closing = group
    } else {
      open.removeAll { $0 === group }
      group.publisher.send(completion: .finished)
    }
  }

  /// Sends the value that waits, if its group has been asked for it; says whether none waits now.
  private func deliver() -> Bool {
    guard let (value, group, isLast) = waiting else { return true }
    guard group.publisher.isReady else { return false }
    waiting = nil
    held.clear()
    deliver(.value(value), to: group, isLast)
    return true
  }

  /// Sends a value to its group, which has asked for it.
  private func deliver(_ input: Incoming, to group: Group, _ isLast: Bool) {
    let publisher = group.publisher
    if let noAnswer = group.noAnswer {
      leave(LeftOut(value: input.value, stage: noAnswer.stage, reason: noAnswer.reason))
    } else if !publisher.hasBegun {
      dropped(1, .noDemand)
    }
    if !publisher.isOver { publisher.send(input) }
    if isLast || closing === group {
      closing = nil
      close(group)
    }
  }

  private func end(_ completion: Subscribers.Completion<PipelineFailure>) {
    let (old, groups) = (downstream, open)
    downstream = nil
    upstream = nil
    open = []
    waiting = nil
    held.clear()
    grouping.stop()
    if case .finished = completion {
      for group in groups { group.publisher.send(completion: .finished) }
    }
    old?.receive(completion: completion)
  }

  // MARK: The downstream

  func request(_ demand: Subscribers.Demand) {
    guard !hasBegun, downstream != nil else { return }
    hasBegun = true
    grouping.start(
      open: { [weak self] in self?.begin($0) },
      close: { [weak self] in self?.close($0) }
    )
    upstream?.request(.max(1))
  }

  func cancel() {
    let old = upstream
    downstream = nil
    upstream = nil
    waiting = nil
    held.clear()
    open = []
    grouping.stop()
    old?.cancel()
  }
}
