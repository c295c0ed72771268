/// Takes everything from upstream, and has one result to send at its end.
///
/// It asks for everything at once; the result waits for demand. Once it `isComplete` it needs no
/// more, and cancels the upstream. The state is touched only by the
/// upstream's signals, which never overlap.
final class ReducingSubscriber<Input, UpstreamFailure: Error, State, Downstream: Subscriber>:
  Subscriber, Subscription, _SelfDescribing
{
  typealias Failure = UpstreamFailure

  private let name: StageName
  private var state: State
  private let step: (inout State, Input) -> Downstream.Failure?
  private let isComplete: (State) -> Bool
  private let result: (State) -> Downstream.Input?
  private let mapFailure: (UpstreamFailure) -> Downstream.Failure
  private let lock = Lock()
  private var downstream: Downstream?
  private var upstream: (any Subscription)?
  private var hasStarted = false
  private var isRequested = false
  private var ready: Downstream.Input?

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
    self.downstream = downstream
    self.state = state
    self.mapFailure = mapFailure
    self.step = step
    self.isComplete = isComplete
    self.result = result
  }

  var description: String { name.text }

  var _children: [Mirror.Child] {
    let (upstream, downstream) = lock.withLock { (self.upstream, self.downstream) }
    return name.children(state: state, downstream: downstream, upstream: upstream)
  }

  func receive(subscription: any Subscription) {
    let downstream: Downstream? = lock.withLock {
      guard !hasStarted, let downstream = self.downstream else { return nil }
      hasStarted = true
      upstream = subscription
      return downstream
    }
    guard let downstream else { return subscription.cancel() }
    downstream.receive(subscription: self)
    subscription.request(.unlimited)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard lock.withLock({ downstream != nil && upstream != nil }) else { return .none }
    if let error = step(&state, input) {
      guard let (upstream, downstream) = end() else { return .none }
      upstream?.cancel()
      downstream.receive(completion: .failure(error))
    } else if isComplete(state) {
      takeUpstream()?.cancel()
      finish()
    }
    return .none
  }

  func receive(completion: Subscribers.Completion<UpstreamFailure>) {
    guard takeUpstream() != nil else { return }
    if case .failure(let error) = completion {
      end()?.downstream.receive(completion: .failure(mapFailure(error)))
    } else {
      finish()
    }
  }

  private func finish() {
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

  func cancel() {
    // Nobody has been given it to cancel before there is an upstream.
    guard lock.withLock({ hasStarted }) else { return }
    end()?.upstream?.cancel()
  }

  private func takeUpstream() -> (any Subscription)? {
    lock.withLock { upstream.take() }
  }

  private func deliver() {
    let (value, downstream) = lock.withLock { (ready.take(), self.downstream) }
    guard let value, let downstream else { return }
    _ = downstream.receive(value)
    end()?.downstream.receive(completion: .finished)
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
