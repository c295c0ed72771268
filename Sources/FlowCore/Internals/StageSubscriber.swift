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

/// A stage's state, of some size in any case.
///
/// A field without size has its object's address, where the thread sanitizer sees a race between
/// changing it and looking at the object.
@frozen
@usableFromInline
struct Kept<State> {
  @usableFromInline var state: State
  private let size: UInt8 = 0

  @inlinable
  init(_ state: State) { self.state = state }
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
  /// Closed at the end.
  @usableFromInline let uses = UseCount()
  @usableFromInline let lock = Lock()
  // The lock guards the upstream; the upstream's signals touch the rest (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline var upstream: (any Subscription)?
  @safe @exclusivity(unchecked) @usableFromInline var stage: Stage

  @usableFromInline
  struct Stage {
    /// Whether the last value is on its way, and the end follows it unless it is cancelled.
    @usableFromInline var isFinishing = false
    @usableFromInline var hasStarted = false
    @usableFromInline var kept: Kept<State>
    /// There until the end, and as long as it is used.
    @usableFromInline var downstream: Downstream?

    @inlinable @inline(__always)
    init(_ downstream: Downstream, _ state: State) {
      self.downstream = downstream
      kept = Kept(state)
    }
  }

  @inlinable
  init(
    _ name: StageName,
    _ downstream: Downstream,
    _ state: State,
    mapFailure: @escaping (UpstreamFailure) -> Downstream.Failure,
    step: @escaping (inout State, Input) -> Step
  ) {
    self.name = name
    stage = Stage(downstream, state)
    self.mapFailure = mapFailure
    self.step = step
  }

  @inlinable
  var description: String { name.text }

  @usableFromInline
  var _children: [Mirror.Child] {
    let upstream = lock.withLock { self.upstream }
    guard uses.begin() else {
      return name.children(
        state: stage.kept.state,
        downstream: nil as Downstream?,
        upstream: upstream
      )
    }
    defer { endUse() }
    return name.children(state: stage.kept.state, downstream: stage.downstream, upstream: upstream)
  }

  @inlinable
  func receive(subscription: any Subscription) {
    let isWanted = lock.withLock {
      guard !stage.hasStarted, !uses.isClosed else { return false }
      stage.hasStarted = true
      upstream = subscription
      return true
    }
    guard isWanted, uses.begin() else { return subscription.cancel() }
    withBorrowed(&stage.downstream) { $0.receive(subscription: self) }
    endUse()
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard uses.begin() else { return .none }
    defer { endUse() }
    if stage.isFinishing || (!stage.hasStarted && !isPassedEarly("a value")) { return .none }
    switch step(&stage.kept.state, input) {
    case .emit(let output): return send(output)
    case .skip: return .max(1)
    case .emitAndFinish(let output):
      stage.isFinishing = true
      takeUpstream()?.cancel()
      _ = send(output)
      finish(.finished)
    case .finish: finish(.finished)
    case .fail(let error): finish(.failure(error))
    }
    return .none
  }

  @inlinable @inline(__always)
  func send(_ output: Downstream.Input) -> Subscribers.Demand {
    Subscribers.Demand(_count: withBorrowed(&stage.downstream) { $0.receive(output) })
  }

  /// Cancels the upstream, if that has not ended, and sends the end; from inside a use.
  @inlinable
  func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
    guard uses.close().isFirst else { return }
    takeUpstream()?.cancel()
    withBorrowed(&stage.downstream) { $0.receive(completion: completion) }
  }

  @inlinable
  func receive(completion: Subscribers.Completion<UpstreamFailure>) {
    guard uses.begin() else { return }
    defer { endUse() }
    guard !stage.isFinishing else { return }
    if !stage.hasStarted, !name.passesEarlyEnd {
      _ = isPassedEarly("a completion")
      return
    }
    _ = takeUpstream()
    switch completion {
    case .finished: finish(.finished)
    case .failure(let error): finish(.failure(mapFailure(error)))
    }
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    precondition(demand > 0, "demand is 0, expected 1 or more")
    let (upstream, isEarly) = lock.withLock { (self.upstream, !stage.hasStarted) }
    if isEarly { _ = isPassedEarly("a request") }
    upstream?.request(demand)
  }

  @inlinable
  func cancel() {
    // Nobody has been given it to cancel before there is an upstream.
    if lock.withLock({ !stage.hasStarted }), name.earlyValue != .trapped { return }
    let (isFirst, mustRelease) = uses.close()
    if isFirst { takeUpstream()?.cancel() }
    if mustRelease { release() }
  }

  @inlinable @inline(__always)
  func endUse() { if uses.end() { release() } }

  @usableFromInline
  func release() { stage.downstream = nil }

  @inlinable
  func takeUpstream() -> (any Subscription)? { lock.withLock { upstream.take() } }

  /// Says what to do with a signal that has come before the subscription.
  @inlinable
  func isPassedEarly(_ signal: String) -> Bool {
    switch name.earlyValue {
    case .passed: true
    case .ignored: false
    case .trapped: preconditionFailure("\(name.text) got \(signal) before its subscription")
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
