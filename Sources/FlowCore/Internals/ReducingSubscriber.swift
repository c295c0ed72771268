/// Takes everything from upstream, and has one result to send at its end.
///
/// It asks for everything at once; the result waits for demand. Once it `isComplete` it needs no
/// more, and cancels the upstream. The state is touched only by the
/// upstream's signals, which never overlap.
@usableFromInline
final class ReducingSubscriber<Input, UpstreamFailure: Error, State, Downstream: Subscriber>:
  LinkSubscription<Downstream>, Subscriber
{
  @usableFromInline typealias Failure = UpstreamFailure

  @usableFromInline let name: StageName
  @usableFromInline let step: (inout State, Input) -> Downstream.Failure?
  @usableFromInline let isComplete: (State) -> Bool
  @usableFromInline let result: (State) -> Downstream.Input?
  @usableFromInline let mapFailure: (UpstreamFailure) -> Downstream.Failure
  // memory 5: the upstream's signals touch the first, the lock guards the second.
  @safe @exclusivity(unchecked) @usableFromInline var kept: Kept<State>
  @usableFromInline let lock = Lock()
  @safe @exclusivity(unchecked) @usableFromInline var ends = Ends()

  @usableFromInline
  struct Ends {
    @usableFromInline var isRequested = false
    @usableFromInline var ready: Downstream.Input?

    @inlinable init() {}
  }

  @inlinable @inline(__always)
  init(
    _ name: StageName,
    _ downstream: Downstream,
    _ state: State,
    mapFailure: @escaping (UpstreamFailure) -> Downstream.Failure,
    step: @escaping (inout State, Input) -> Downstream.Failure?,
    isComplete: @escaping (State) -> Bool = { _ in false },
    result: @escaping (State) -> Downstream.Input?
  ) {
    self.name = name
    kept = Kept(state)
    self.mapFailure = mapFailure
    self.step = step
    self.isComplete = isComplete
    self.result = result
    super.init(downstream) { object, count in
      let me = unsafe unsafeDowncast(object, to: ReducingSubscriber.self)  // memory 7
      if count > 0 {
        me.ask()
      } else if me.uses.hasStarted {
        me.close()  // nobody has been given it to cancel before there is an upstream
      }
    }
  }

  @inlinable
  deinit {
    // A state of elements is an array.
    if name.parts.contains(.count) { (kept.state as? any Disposing)?.letGo() }
  }

  @usableFromInline
  override var description: String { name.text }

  @usableFromInline
  override var _children: [Mirror.Child] {
    guard uses.begin() else {
      return name.children(state: kept.state, downstream: nil as Downstream?, upstream: nil)
    }
    defer { endUse() }
    let upstream = uses.hasUpstream ? self.upstream.subscription : nil
    return name.children(state: kept.state, downstream: downstream, upstream: upstream)
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if introduce(with: subscription) { askUpstream(.unlimited) }
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard uses.hasUpstream else { return .none }
    if let error = step(&kept.state, input) {
      end(.failure(error))
    } else if isComplete(kept.state) {
      complete()
    }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<UpstreamFailure>) {
    guard uses.endUpstream() else { return }
    if case .failure(let error) = completion { end(.failure(mapFailure(error))) } else { finish() }
  }

  /// Needs no more of the upstream.
  @inlinable
  func complete() {
    guard uses.begin() else { return }
    cancelUpstream()
    finish()
    endUse()
  }

  @inlinable
  func finish() {
    guard let value = result(kept.state) else { return end(.finished) }
    let isRequested = lock.withLock {
      ends.ready = value
      return ends.isRequested
    }
    if isRequested { deliver() }
  }

  @inlinable
  func ask() {
    let isReady = lock.withLock {
      ends.isRequested = true
      if case .none = ends.ready { return false }
      return true
    }
    if isReady { deliver() }
  }

  @inlinable
  func deliver() {
    guard let value = lock.withLock({ ends.ready.take() }), uses.begin() else { return }
    _ = send(value)
    finish(.finished)
    endUse()
  }

  /// Ends it with no result.
  @inlinable
  func end(_ completion: Subscribers.Completion<Downstream.Failure>) {
    guard uses.begin() else { return }
    finish(completion)
    endUse()
  }
}
