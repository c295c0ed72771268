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
  LinkSubscription<Downstream>, Subscriber
{
  @usableFromInline typealias Failure = UpstreamFailure
  @usableFromInline typealias Step = StageStep<Downstream.Input, Downstream.Failure>

  @usableFromInline let name: StageName
  @usableFromInline let step: (inout State, Input) -> Step
  @usableFromInline let mapFailure: (UpstreamFailure) -> Downstream.Failure
  // The upstream's signals touch this (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline var stage: Stage

  @usableFromInline
  struct Stage {
    /// Whether the last value is on its way, and the end follows it unless it is cancelled.
    @usableFromInline var isFinishing = false
    @usableFromInline var kept: Kept<State>

    @inlinable @inline(__always)
    init(_ state: State) { kept = Kept(state) }
  }

  @inlinable @inline(__always)
  init(
    _ name: StageName,
    _ downstream: Downstream,
    _ state: State,
    mapFailure: @escaping (UpstreamFailure) -> Downstream.Failure,
    step: @escaping (inout State, Input) -> Step
  ) {
    self.name = name
    stage = Stage(state)
    self.mapFailure = mapFailure
    self.step = step
    super.init(downstream) { object, count in
      let me = unsafe unsafeDowncast(object, to: StageSubscriber.self)  // memory 7
      if count < 0 { me.stop() } else { me.ask(Subscribers.Demand(_count: count)) }
    }
  }

  @usableFromInline
  override var description: String { name.text }

  @usableFromInline
  override var _children: [Mirror.Child] {
    guard uses.begin() else {
      return name.children(state: stage.kept.state, downstream: nil as Downstream?, upstream: nil)
    }
    defer { endUse() }
    let upstream = uses.hasUpstream ? self.upstream.subscription : nil
    return name.children(state: stage.kept.state, downstream: downstream, upstream: upstream)
  }

  @inlinable
  func receive(subscription: any Subscription) { introduce(with: subscription) }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard uses.begin() else { return .none }
    defer { endUse() }
    if stage.isFinishing || (!uses.hasStarted && !isPassedEarly("a value")) { return .none }
    switch step(&stage.kept.state, input) {
    case .emit(let output): return send(output)
    case .skip: return .max(1)
    case .emitAndFinish(let output):
      stage.isFinishing = true
      cancelUpstream()
      _ = send(output)
      finish(.finished)
    case .finish: finish(.finished)
    case .fail(let error): finish(.failure(error))
    }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<UpstreamFailure>) {
    guard uses.begin() else { return }
    defer { endUse() }
    guard !stage.isFinishing else { return }
    if !uses.hasStarted, !name.passesEarlyEnd {
      _ = isPassedEarly("a completion")
      return
    }
    _ = uses.endUpstream()
    switch completion {
    case .finished: finish(.finished)
    case .failure(let error): finish(.failure(mapFailure(error)))
    }
  }

  @inlinable
  func ask(_ demand: Subscribers.Demand) {
    if !uses.hasStarted { _ = isPassedEarly("a request") }
    askUpstream(demand)
  }

  @inlinable
  func stop() {
    // Nobody has been given it to cancel before there is an upstream.
    if !uses.hasStarted, name.earlyValue != .trapped { return }
    close()
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
