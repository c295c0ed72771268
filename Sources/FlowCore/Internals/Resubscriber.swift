/// Goes on with another publisher when one fails, carrying over the demand that is not met.
///
/// A publisher that fails while it is being subscribed to does not recurse: the loop in
/// `subscribe(to:)` takes the next one.
final class Resubscriber<Failure: Error, Downstream: Subscriber>: Subscription,
  CustomStringConvertible
{
  typealias Source = AnyPublisher<Downstream.Input, Failure>

  /// What follows a failure.
  enum Recovery {
    case subscribe(Source)
    case fail(Downstream.Failure)
  }

  let description: String
  private let recover: (Failure) -> Recovery
  private let lock = Lock()
  private var downstream: Downstream?
  private var upstream: (any Subscription)?
  private var demand = Subscribers.Demand.none
  private var isSubscribing = false
  private var next: Source?
  private var isStarted = false

  init(_ description: String, _ downstream: Downstream, recover: @escaping (Failure) -> Recovery) {
    self.description = description
    self.downstream = downstream
    self.recover = recover
  }

  func subscribe(to source: Source) {
    let mayLoop = lock.withLock {
      next = source
      guard !isSubscribing else { return false }
      isSubscribing = true
      return true
    }
    guard mayLoop else { return }
    while let source = takeNext() { source.subscribe(Inner(self)) }
  }

  private func takeNext() -> Source? {
    lock.withLock {
      guard downstream != nil, let source = next else {
        isSubscribing = false
        next = nil
        return nil
      }
      next = nil
      return source
    }
  }

  func request(_ demand: Subscribers.Demand) {
    precondition(demand > 0, "demand is 0, expected 1 or more")
    let upstream = lock.withLock {
      self.demand += demand
      return self.upstream
    }
    upstream?.request(demand)
  }

  func cancel() {
    let (upstream, downstream) = end()
    upstream?.cancel()
    withExtendedLifetime(downstream) {}
  }

  private func end() -> ((any Subscription)?, Downstream?) {
    lock.withLock {
      defer {
        upstream = nil
        downstream = nil
        next = nil
      }
      return (upstream, downstream)
    }
  }

  private struct Inner: Subscriber {
    typealias Input = Downstream.Input

    let parent: Resubscriber
    let combineIdentifier = CombineIdentifier()

    init(_ parent: Resubscriber) { self.parent = parent }

    func receive(subscription: any Subscription) { parent.receive(subscription: subscription) }
    func receive(_ input: Input) -> Subscribers.Demand { parent.receive(input) }
    func receive(completion: Subscribers.Completion<Failure>) {
      parent.receive(completion: completion)
    }
  }

  private func receive(subscription: any Subscription) {
    let accepted: (downstream: Downstream, isFirst: Bool, demand: Subscribers.Demand)? =
      lock.withLock {
        guard let downstream, upstream == nil else { return nil }
        upstream = subscription
        defer { isStarted = true }
        // With the lock once released, requests go to this upstream directly.
        return (downstream, !isStarted, demand)
      }
    guard let accepted else { return subscription.cancel() }
    if accepted.isFirst { return accepted.downstream.receive(subscription: self) }
    if accepted.demand > 0 { subscription.request(accepted.demand) }
  }

  private func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    let downstream = lock.withLock {
      demand -= 1
      return self.downstream
    }
    guard let downstream else { return .none }
    let more = downstream.receive(input)
    if more > 0 { lock.withLock { demand += more } }
    return more
  }

  private func receive(completion: Subscribers.Completion<Failure>) {
    guard lock.withLock({ downstream != nil }) else { return }
    lock.withLock { upstream = nil }
    switch completion {
    case .finished: end().1?.receive(completion: .finished)
    case .failure(let error):
      switch recover(error) {
      case .subscribe(let source): subscribe(to: source)
      case .fail(let error): end().1?.receive(completion: .failure(error))
      }
    }
  }
}
