/// Takes everything from upstream, and has one result to send at its end.
///
/// It asks for everything at once; the result waits for demand. The state is touched only by the
/// upstream's signals, which never overlap.
final class ReducingSubscriber<Input, UpstreamFailure: Error, State, Downstream: Subscriber>:
  Subscriber, Subscription, _SelfDescribing
{
  typealias Failure = UpstreamFailure

  private let name: StageName
  private var state: State
  private let step: (inout State, Input) -> Downstream.Failure?
  private let result: (State) -> Downstream.Input?
  private let mapFailure: (UpstreamFailure) -> Downstream.Failure
  private let lock = Lock()
  private var downstream: Downstream?
  private var upstream: (any Subscription)?
  private var isRequested = false
  private var ready: Downstream.Input?

  init(
    _ name: StageName,
    _ downstream: Downstream,
    _ state: State,
    mapFailure: @escaping (UpstreamFailure) -> Downstream.Failure,
    step: @escaping (inout State, Input) -> Downstream.Failure?,
    result: @escaping (State) -> Downstream.Input?
  ) {
    self.name = name
    self.downstream = downstream
    self.state = state
    self.mapFailure = mapFailure
    self.step = step
    self.result = result
  }

  var description: String { name.text }

  var _children: [Mirror.Child] {
    let (upstream, downstream) = lock.withLock { (self.upstream, self.downstream) }
    return name.children(state: state, downstream: downstream, upstream: upstream)
  }

  func receive(subscription: any Subscription) {
    let downstream: Downstream? = lock.withLock {
      guard upstream == nil, let downstream = self.downstream else { return nil }
      upstream = subscription
      return downstream
    }
    guard let downstream else { return subscription.cancel() }
    downstream.receive(subscription: self)
    subscription.request(.unlimited)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard lock.withLock({ downstream != nil }) else { return .none }
    if let error = step(&state, input), let (upstream, downstream) = end() {
      upstream?.cancel()
      downstream.receive(completion: .failure(error))
    }
    return .none
  }

  func receive(completion: Subscribers.Completion<UpstreamFailure>) {
    if case .failure(let error) = completion {
      end()?.downstream.receive(completion: .failure(mapFailure(error)))
      return
    }
    guard let value = result(state) else {
      end()?.downstream.receive(completion: .finished)
      return
    }
    let isRequested = lock.withLock {
      ready = value
      return self.isRequested
    }
    if isRequested { deliver() }
  }

  func request(_ demand: Subscribers.Demand) {
    precondition(demand > 0, "demand is 0, expected 1 or more")
    let isReady = lock.withLock {
      isRequested = true
      return ready != nil
    }
    if isReady { deliver() }
  }

  func cancel() { end()?.upstream?.cancel() }

  private func deliver() {
    guard let value = lock.withLock({ ready }), let downstream = end()?.downstream else { return }
    _ = downstream.receive(value)
    downstream.receive(completion: .finished)
  }

  private func end() -> (upstream: (any Subscription)?, downstream: Downstream)? {
    lock.withLock {
      guard let downstream else { return nil }
      defer {
        self.downstream = nil
        upstream = nil
      }
      return (upstream, downstream)
    }
  }
}
