/// What is told of each signal that passes.
@usableFromInline
protocol SignalTap<Output, Failure> {
  associatedtype Output
  associatedtype Failure: Error

  func receive(subscription: any Subscription)
  func receive(_ output: Output)
  func receive(completion: Subscribers.Completion<Failure>)
  /// `isReturned` tells demand that comes back with a value from demand asked for by a call.
  func request(_ demand: Subscribers.Demand, isReturned: Bool)
  func cancel()
}

/// Tells a tap of each signal, before it passes it on unchanged.
@usableFromInline
final class TapSubscriber<Tap: SignalTap, Downstream: Subscriber>: Subscriber, Subscription,
  _SelfDescribing
where Tap.Output == Downstream.Input, Tap.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @frozen
  @usableFromInline
  struct State {
    @usableFromInline var downstream: Downstream
    @usableFromInline var tap: Tap
    @usableFromInline var upstream: (any Subscription)?

    @inlinable
    init(downstream: Downstream, tap: Tap, upstream: (any Subscription)? = nil) {
      self.downstream = downstream
      self.tap = tap
      self.upstream = upstream
    }
  }

  @usableFromInline let description: String
  @usableFromInline let lock = Lock()
  /// There until the end.
  @exclusivity(unchecked) @usableFromInline var state: State?

  @inlinable
  init(_ description: String, _ downstream: Downstream, _ tap: Tap) {
    self.description = description
    state = State(downstream: downstream, tap: tap)
  }

  @inlinable
  func receive(subscription: any Subscription) {
    let (state, isFirst) = lock.withLock {
      let isFirst = self.state != nil && self.state?.upstream == nil
      if isFirst { self.state?.upstream = subscription }
      return (self.state, isFirst)
    }
    state?.tap.receive(subscription: subscription)
    guard isFirst else { return subscription.cancel() }
    state?.downstream.receive(subscription: self)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard let state = lock.withLock({ state }) else { return .none }
    state.tap.receive(input)
    let more = state.downstream.receive(input)
    if more > 0 { state.tap.request(more, isReturned: true) }
    return more
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard let state = end() else { return }
    state.tap.receive(completion: completion)
    state.downstream.receive(completion: completion)
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    guard let state = lock.withLock({ state }) else { return }
    state.tap.request(demand, isReturned: false)
    state.upstream?.request(demand)  // which traps if it is for nothing
  }

  @inlinable
  func cancel() {
    let isEarly = lock.withLock { state?.upstream == nil }
    // Nobody has been given it to cancel before there is an upstream.
    guard let state = isEarly ? lock.withLock({ state }) : end() else { return }
    state.tap.cancel()
    state.upstream?.cancel()
  }

  @inlinable
  func end() -> State? {
    lock.withLock {
      defer { state = nil }
      return state
    }
  }
}
