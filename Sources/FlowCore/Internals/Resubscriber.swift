/// Goes on with another publisher when one fails, carrying over the demand that is not met.
///
/// A publisher that fails while it is being subscribed to does not recurse: the loop in
/// `subscribe(to:)` takes the next one.
final class Resubscriber<Failure: Error, Downstream: Subscriber>: Subscriber, Subscription,
  _SelfDescribing
{
  typealias Input = Downstream.Input
  /// Subscribes this object to a publisher.
  typealias Source = (Resubscriber) -> Void

  /// What follows a failure.
  enum Recovery {
    case subscribe(Source)
    case fail(Downstream.Failure)
  }

  /// The operators that it serves.
  enum Kind {
    case `catch`
    /// Asks for what comes back with a value, and takes an end without a subscription before it.
    case retry
  }

  let description: String
  private let kind: Kind
  private let recover: (Failure) -> Recovery
  private let lock = Lock()
  private var downstream: Downstream?
  private var upstream: (any Subscription)?
  private var demand = Subscribers.Demand.none
  private var isSubscribing = false
  private var next: Source?
  private var isStarted = false

  init(
    _ description: String,
    _ kind: Kind,
    _ downstream: Downstream,
    recover: @escaping (Failure) -> Recovery
  ) {
    self.description = description
    self.kind = kind
    self.downstream = downstream
    self.recover = recover
  }

  var _children: [Mirror.Child] {
    guard kind == .catch else { return [] }
    let (downstream, demand) = lock.withLock { (self.downstream, self.demand) }
    return [("downstream", downstream.map { $0 as Any } ?? downstream as Any), ("demand", demand)]
  }

  func subscribe(to source: @escaping Source) {
    let mayLoop = lock.withLock {
      next = source
      guard !isSubscribing else { return false }
      isSubscribing = true
      return true
    }
    guard mayLoop else { return }
    while let source = takeNext() { source(self) }
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

  func receive(subscription: any Subscription) {
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

  func receive(_ input: Input) -> Subscribers.Demand {
    let downstream: Downstream? = lock.withLock {
      guard let downstream = self.downstream else { return nil }
      precondition(demand > 0, "\(description) got a value that it has not asked for")
      demand -= 1
      return downstream
    }
    guard let more = downstream?.receive(input), more > 0 else { return .none }
    let upstream = lock.withLock {
      demand += more
      return self.upstream
    }
    guard kind == .retry else { return more }
    upstream?.request(more)
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    let isExpected = lock.withLock {
      guard downstream != nil, isStarted || kind == .retry else { return false }
      upstream = nil
      return true
    }
    guard isExpected else { return }
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
