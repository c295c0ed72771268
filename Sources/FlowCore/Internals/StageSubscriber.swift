import Synchronization

/// What a stage does with one value.
@frozen
@usableFromInline
enum StageStep<Output, Failure: Error> {
  /// Sends a value on.
  case emit(Output)
  /// Sends nothing, and asks for one value more instead.
  case skip
  /// Sends a last value, finishes, and cancels the upstream.
  case emitAndFinish(Output)
  /// Finishes and cancels the upstream.
  case finish
  /// Fails and cancels the upstream.
  case fail(Failure)
}

/// A stage that looks at values one at a time, passes demand through, and may end early.
///
/// The state is touched only by the upstream's signals, which never overlap.
@usableFromInline
final class StageSubscriber<Input, UpstreamFailure: Error, State, Downstream: Subscriber>:
  Subscriber, Subscription, _SelfDescribing
{
  @usableFromInline typealias Failure = UpstreamFailure
  @usableFromInline typealias Step = StageStep<Downstream.Input, Downstream.Failure>

  @usableFromInline let name: StageName
  @usableFromInline let step: (inout State, Input) -> Step
  @usableFromInline let mapFailure: (UpstreamFailure) -> Downstream.Failure
  @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
  @usableFromInline let lock = Lock()
  @exclusivity(unchecked) @usableFromInline var upstream: (any Subscription)?
  @exclusivity(unchecked) @usableFromInline var isOver = false
  /// Whether the last value is on its way, and the end follows it unless it is cancelled.
  @exclusivity(unchecked) @usableFromInline var isFinishing = false
  /// The last one: if it has no size its address is that of the next, which the thread sanitizer
  /// would take it for.
  @exclusivity(unchecked) @usableFromInline var state: State

  @inlinable
  init(
    _ name: StageName,
    _ downstream: Downstream,
    _ state: State,
    mapFailure: @escaping (UpstreamFailure) -> Downstream.Failure,
    step: @escaping (inout State, Input) -> Step
  ) {
    self.name = name
    self.downstream = downstream
    self.state = state
    self.mapFailure = mapFailure
    self.step = step
  }

  @inlinable
  var description: String { name.text }

  @inlinable
  var _children: [Mirror.Child] {
    let (upstream, downstream) = lock.withLock { (self.upstream, self.downstream) }
    return name.children(state: state, downstream: downstream, upstream: upstream)
  }

  @inlinable
  func receive(subscription: any Subscription) {
    let downstream: Downstream? = lock.withLock {
      guard !isOver, upstream == nil else { return nil }
      upstream = subscription
      return self.downstream
    }
    guard let downstream else { return subscription.cancel() }
    downstream.receive(subscription: self)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    let (downstream, isEarly): (Downstream?, Bool) = lock.withLock {
      (isFinishing ? nil : self.downstream, upstream == nil)
    }
    guard let downstream else { return .none }
    if isEarly, !isPassedEarly("a value") { return .none }
    switch step(&state, input) {
    case .emit(let output): return downstream.receive(output)
    case .skip: return .max(1)
    case .emitAndFinish(let output):
      let upstream = lock.withLock {
        isFinishing = true
        defer { self.upstream = nil }
        return self.upstream
      }
      upstream?.cancel()
      _ = downstream.receive(output)
      end()?.downstream.receive(completion: .finished)
    case .finish:
      guard let (upstream, downstream) = end() else { return .none }
      upstream?.cancel()
      downstream.receive(completion: .finished)
    case .fail(let error):
      guard let (upstream, downstream) = end() else { return .none }
      upstream?.cancel()
      downstream.receive(completion: .failure(error))
    }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<UpstreamFailure>) {
    let (isFinishing, isEarly) = lock.withLock { (self.isFinishing, upstream == nil) }
    guard !isFinishing else { return }
    if isEarly, !name.passesEarlyEnd {
      _ = isPassedEarly("a completion")
      return
    }
    guard let (_, downstream) = end() else { return }
    switch completion {
    case .finished: downstream.receive(completion: .finished)
    case .failure(let error): downstream.receive(completion: .failure(mapFailure(error)))
    }
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    precondition(demand > 0, "demand is 0, expected 1 or more")
    let (upstream, isEarly) = lock.withLock {
      (self.upstream, self.upstream == nil && !isFinishing)
    }
    if isEarly { _ = isPassedEarly("a request") }
    upstream?.request(demand)
  }

  @inlinable
  func cancel() {
    let isEarly = lock.withLock { upstream == nil && !isFinishing }
    // Nobody has been given it to cancel.
    if isEarly, name.earlyValue != .trapped { return }
    end()?.upstream?.cancel()
  }

  /// Says what to do with a signal that has come before the subscription.
  @inlinable
  func isPassedEarly(_ signal: String) -> Bool {
    switch name.earlyValue {
    case .passed: true
    case .ignored: false
    case .trapped: preconditionFailure("\(name.text) got \(signal) before its subscription")
    }
  }

  /// Takes upstream and downstream out, once.
  @inlinable
  func end() -> (upstream: (any Subscription)?, downstream: Downstream)? {
    lock.withLock {
      guard !isOver, let downstream else { return nil }
      isOver = true
      defer {
        isFinishing = true
        self.downstream = nil
        upstream = nil
      }
      return (upstream, downstream)
    }
  }
}

extension Publisher {
  /// Subscribes `downstream` through a stage that keeps the failure's type.
  @inlinable
  func receive<State, Downstream: Subscriber>(
    through name: StageName,
    _ downstream: Downstream,
    _ state: State,
    step: @escaping (inout State, Output) -> StageStep<Downstream.Input, Downstream.Failure>
  ) where Downstream.Failure == Failure {
    receive(
      subscriber: StageSubscriber(name, downstream, state, mapFailure: { $0 }, step: step)
    )
  }

  /// Subscribes `downstream` through a stage whose closure may throw.
  @inlinable
  func receive<State, Downstream: Subscriber>(
    throwingThrough name: StageName,
    _ downstream: Downstream,
    _ state: State,
    step: @escaping (inout State, Output) throws -> StageStep<Downstream.Input, any Error>
  ) where Downstream.Failure == any Error {
    let stage = StageSubscriber<Output, Failure, State, Downstream>(
      name,
      downstream,
      state,
      mapFailure: { $0 }
    ) { state, input in
      do {
        return try step(&state, input)
      } catch {
        return .fail(error)
      }
    }
    receive(subscriber: stage)
  }
}
