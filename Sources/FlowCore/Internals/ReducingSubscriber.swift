/// Takes everything from upstream, and has one result to send at its end.
///
/// It asks for everything at once; the result waits for demand. Once it `isComplete` it needs no
/// more, and cancels the upstream. Only the upstream's signals touch the state, and they never
/// overlap; it is released at the end, when no signal is under way.
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
  @safe @exclusivity(unchecked) @usableFromInline var kept: Kept<State?>
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
  deinit { letGoOfState() }

  @usableFromInline
  override func release() {
    super.release()
    letGoOfState()
  }

  @inlinable
  func letGoOfState() {
    guard !_isPOD(State.self) else { return }
    let old = kept.state.take()
    // A state of elements is an array.
    if name.parts.contains(.count) { (old as? any Disposing)?.letGo() }
    withExtendedLifetime((old, lock.withLock { ends.ready.take() })) {}
  }

  @usableFromInline
  override var description: String { name.text }

  @usableFromInline
  override var _children: [Mirror.Child] {
    let isInUse = uses.begin()
    defer { if isInUse { endUse() } }
    let upstream = isInUse && uses.hasUpstream ? self.upstream.subscription : nil
    let downstream = isInUse ? downstream : nil
    guard isInUse || _isPOD(State.self), let state = kept.state else {
      return name.children(state: nil as State?, downstream: downstream, upstream: upstream)
    }
    return name.children(state: state, downstream: downstream, upstream: upstream)
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if introduce(with: subscription) { askUpstream(.unlimited) }
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    // A state without references stays until `deinit`, so nothing has to count its uses.
    guard uses.hasUpstream, _isPOD(State.self) || uses.begin() else { return .none }
    defer { if !_isPOD(State.self) { endUse() } }
    if let error = withState({ step(&$0, input) }) {
      end(.failure(error))
    } else if withState({ isComplete($0) }) {
      complete()
    }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<UpstreamFailure>) {
    guard uses.endUpstream(), uses.begin() else { return }
    defer { endUse() }
    if case .failure(let error) = completion { end(.failure(mapFailure(error))) } else { finish() }
  }

  /// Calls `body` with the state in place; only from inside a use, or if it holds no references.
  @inlinable @inline(__always)
  func withState<R>(_ body: (inout State) -> R) -> R {
    unsafe withUnsafeMutablePointer(to: &kept.state) {
      // memory 7: an optional's value lies at its beginning.
      unsafe body(&UnsafeMutableRawPointer($0).assumingMemoryBound(to: State.self).pointee)
    }
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
    guard let value = withState({ result($0) }) else { return end(.finished) }
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
