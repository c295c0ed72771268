/// Takes everything from upstream, and has one result to send at its end.
///
/// It asks for everything at once; the result waits for demand. Once it `isComplete` it needs no
/// more, and cancels the upstream. The state is touched only by the
/// upstream's signals, which never overlap.
@usableFromInline
final class ReducingSubscriber<Input, UpstreamFailure: Error, State, Downstream: Subscriber>:
  _ControlSubscription, Subscriber
{
  @usableFromInline typealias Failure = UpstreamFailure

  @usableFromInline let name: StageName
  @usableFromInline let step: (inout State, Input) -> Downstream.Failure?
  @usableFromInline let isComplete: (State) -> Bool
  @usableFromInline let result: (State) -> Downstream.Input?
  @usableFromInline let mapFailure: (UpstreamFailure) -> Downstream.Failure
  @usableFromInline let lock = Lock()
  // memory 5: for whoever is inside.
  @safe @exclusivity(unchecked) @usableFromInline var ends: Ends
  @safe @exclusivity(unchecked) @usableFromInline var kept: Kept<State>

  @usableFromInline
  struct Ends {
    @usableFromInline var upstream: (any Subscription)?
    @usableFromInline var hasStarted = false
    @usableFromInline var isRequested = false
    @usableFromInline var ready: Downstream.Input?
    @usableFromInline var downstream: Downstream?

    @inlinable @inline(__always)
    init(_ downstream: Downstream) { self.downstream = downstream }
  }

  @inlinable
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
    ends = Ends(downstream)
    kept = Kept(state)
    self.mapFailure = mapFailure
    self.step = step
    self.isComplete = isComplete
    self.result = result
    super.init { object, count in
      let me = unsafe unsafeDowncast(object, to: ReducingSubscriber.self)  // memory 7
      if count < 0 { me.stop() } else { me.ask(Subscribers.Demand(_count: count)) }
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
    let (upstream, downstream) = lock.withLock { (self.ends.upstream, self.ends.downstream) }
    return name.children(state: kept.state, downstream: downstream, upstream: upstream)
  }

  @inlinable
  func receive(subscription: any Subscription) {
    let downstream: Downstream? = lock.withLock {
      guard !ends.hasStarted, let downstream = self.ends.downstream else { return nil }
      ends.hasStarted = true
      ends.upstream = subscription
      return downstream
    }
    guard let downstream else { return subscription.cancel() }
    downstream.receive(subscription: self)
    subscription.request(.unlimited)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard lock.withLock({ ends.downstream != nil && ends.upstream != nil }) else { return .none }
    if let error = step(&kept.state, input) {
      guard let (upstream, downstream) = end() else { return .none }
      upstream?.cancel()
      downstream.receive(completion: .failure(error))
    } else if isComplete(kept.state) {
      takeUpstream()?.cancel()
      finish()
    }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<UpstreamFailure>) {
    guard takeUpstream() != nil else { return }
    if case .failure(let error) = completion {
      end()?.downstream.receive(completion: .failure(mapFailure(error)))
    } else {
      finish()
    }
  }

  @inlinable
  func finish() {
    guard let value = result(kept.state) else {
      end()?.downstream.receive(completion: .finished)
      return
    }
    let isRequested = lock.withLock {
      ends.ready = value
      return self.ends.isRequested
    }
    if isRequested { deliver() }
  }

  @inlinable
  func ask(_ demand: Subscribers.Demand) {
    let isReady = lock.withLock {
      ends.isRequested = true
      return ends.ready != nil
    }
    if isReady { deliver() }
  }

  @inlinable
  func stop() {
    // Nobody has been given it to cancel before there is an upstream.
    guard lock.withLock({ ends.hasStarted }) else { return }
    end()?.upstream?.cancel()
  }

  @inlinable
  func takeUpstream() -> (any Subscription)? {
    lock.withLock { ends.upstream.take() }
  }

  @inlinable
  func deliver() {
    let (value, downstream) = lock.withLock { (ends.ready.take(), self.ends.downstream) }
    guard let value, let downstream else { return }
    _ = downstream.receive(value)
    end()?.downstream.receive(completion: .finished)
  }

  @inlinable
  func end() -> (upstream: (any Subscription)?, downstream: Downstream)? {
    lock.withLock {
      guard let downstream = ends.downstream else { return nil }
      defer {
        self.ends.downstream = nil
        ends.upstream = nil
      }
      return (ends.upstream, downstream)
    }
  }
}
