import FlowCore

/// One of the publishers that a stage divides its upstream into.
final class Part {
  /// What all values of the part have in common; null if it is but their time.
  let key: Value
  let publisher = HotPublisher()

  init(key: Value = .null) { self.key = key }
}

/// Decides which part a value belongs to.
protocol Division: AnyObject {
  /// Begins; parts that are there before any value, and those that time makes, are sent by `open`,
  /// and are over when `close` is told.
  func start(open: @escaping (Part) -> Void, close: @escaping (Part) -> Void)
  /// The part that a value belongs to, which may be new, and whether it is the part's last.
  func part(for value: Value) throws(PipelineFailure) -> (part: Part, isNew: Bool, isLast: Bool)
  /// Time makes no more parts.
  func stop()
}

/// Divides its values among publishers; nothing is lost.
///
/// The upstream is asked for one value at a time. A value waits until its part is asked for one,
/// and holds up all others meanwhile.
struct Divided: Publisher {
  typealias Output = Part
  typealias Failure = PipelineFailure

  let upstream: AnyPublisher<Value, PipelineFailure>
  let memoryBudget: MemoryBudget
  /// Tells that values were dropped.
  let dropped: (Int, DropReason) -> Void
  /// Makes what decides for a new subscription.
  let division: () -> any Division

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Part, S.Failure == PipelineFailure {
    let held = HeldValues(of: "it", in: memoryBudget)
    upstream.subscribe(Dividing(subscriber, division(), held, dropped))
  }
}

/// Used where the clock runs, as all of a running pipeline is.
private final class Dividing<Downstream: Subscriber>: Subscriber, Subscription
where Downstream.Input == Part, Downstream.Failure == PipelineFailure {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private var downstream: Downstream?
  private let division: any Division
  /// The value that waits.
  private let held: HeldValues
  private let dropped: (Int, DropReason) -> Void
  private var upstream: (any Subscription)?
  private var hasBegun = false
  /// Those that are not over, in the order of their beginning.
  private var open: [Part] = []
  /// The value that its part has not asked for yet.
  private var waiting: (value: Value, part: Part, isLast: Bool)?
  /// The part that is over but for the value that waits.
  private var closing: Part?
  private var isFinishing = false

  init(
    _ downstream: Downstream,
    _ division: any Division,
    _ held: HeldValues,
    _ dropped: @escaping (Int, DropReason) -> Void
  ) {
    self.downstream = downstream
    self.division = division
    self.held = held
    self.dropped = dropped
  }

  // MARK: The upstream

  func receive(subscription: any Subscription) {
    guard upstream == nil else { return subscription.cancel() }
    upstream = subscription
    downstream?.receive(subscription: self)
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    guard downstream != nil else { return .none }
    do throws(PipelineFailure) {
      let (part, isNew, isLast) = try division.part(for: input)
      if isNew { begin(part) }
      waiting = (input, part, isLast)
      if deliver() { return .max(1) }
      if waiting != nil { try held.replace(with: input) }
      return .none
    } catch {
      let upstream = upstream
      end(.failure(error))
      upstream?.cancel()
      return .none
    }
  }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    upstream = nil
    division.stop()
    if case .finished = completion, waiting != nil {
      isFinishing = true
    } else {
      end(completion)
    }
  }

  // MARK: The parts

  private func begin(_ part: Part) {
    open.append(part)
    part.publisher.onDemand = { [weak self, weak part] in
      guard let self, let part, self.waiting?.part === part, self.deliver() else { return }
      if self.isFinishing { self.end(.finished) } else { self.upstream?.request(.max(1)) }
    }
    _ = downstream?.receive(part)
  }

  private func close(_ part: Part) {
    if waiting?.part === part {
      closing = part
    } else {
      open.removeAll { $0 === part }
      part.publisher.send(completion: .finished)
    }
  }

  /// Sends the value that waits, if its part has been asked for it; says whether none waits now.
  private func deliver() -> Bool {
    guard let (value, part, isLast) = waiting else { return true }
    let publisher = part.publisher
    guard publisher.isReady else { return false }
    waiting = nil
    held.clear()
    if !publisher.hasBegun { dropped(1, .noDemand) }
    if !publisher.isOver { publisher.send(value) }
    if isLast || closing === part {
      closing = nil
      close(part)
    }
    return true
  }

  private func end(_ completion: Subscribers.Completion<PipelineFailure>) {
    let (old, parts) = (downstream, open)
    downstream = nil
    upstream = nil
    open = []
    waiting = nil
    held.clear()
    division.stop()
    if case .finished = completion {
      for part in parts { part.publisher.send(completion: .finished) }
    }
    old?.receive(completion: completion)
  }

  // MARK: The downstream

  func request(_ demand: Subscribers.Demand) {
    guard !hasBegun, downstream != nil else { return }
    hasBegun = true
    division.start(
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
    division.stop()
    old?.cancel()
  }
}
