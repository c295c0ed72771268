/// Goes on with another publisher when one has ended, carrying over the demand that is not met.
///
/// A publisher that ends while it is being subscribed to does not recurse: the loop in
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
    /// Subscribes when the timer fires that the closure starts; once it has, it is cancelled.
    case subscribeLater(Source, (@escaping () -> Void) -> any Cancellable)
    case fail(Downstream.Failure)
  }

  /// The operators that it serves.
  enum Kind {
    case `catch`
    /// Asks for what comes back with a value, and takes an end without a subscription before it.
    case retry
    /// Ignores values without demand, and passes on a request for nothing.
    case concatenate
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
  /// What `goOn()` goes on with.
  private var following: Source?
  /// How many publishers have been subscribed to.
  private var round = 0
  private var isStarted = false
  private var isWaiting = false
  private var timer: (any Cancellable)?

  init(
    _ description: String,
    _ kind: Kind,
    _ downstream: Downstream,
    following: Source? = nil,
    recover: @escaping (Failure) -> Recovery
  ) {
    self.following = following
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
      round += 1
      return source
    }
  }

  /// Whether the publisher with this number is the present one, and has not ended.
  func isIn(_ round: Int) -> Bool { lock.withLock { self.round == round && next == nil } }

  /// Goes on with what follows, as the present publisher has finished.
  func goOn() {
    let source: Source? = lock.withLock {
      guard upstream != nil else { return nil }
      upstream = nil
      return following.take()
    }
    if let source { subscribe(to: source) }
  }

  func request(_ demand: Subscribers.Demand) {
    precondition(demand > 0 || kind == .concatenate, "demand is 0, expected 1 or more")
    let upstream = lock.withLock {
      self.demand += demand
      return self.upstream
    }
    upstream?.request(demand)
  }

  func cancel() {
    let timer = lock.withLock { self.timer.take() }
    let (upstream, downstream) = end()
    timer?.cancel()
    upstream?.cancel()
    withExtendedLifetime(downstream) {}
  }

  /// Subscribes when a timer fires, unless it is cancelled before.
  private func wait(
    _ startTimer: (@escaping () -> Void) -> any Cancellable,
    then source: @escaping Source
  ) {
    lock.withLock { isWaiting = true }
    let timer = startTimer {
      let (isDue, timer) = self.lock.withLock {
        defer { self.isWaiting = false }
        return (self.isWaiting, self.timer.take())
      }
      timer?.cancel()
      if isDue { self.subscribe(to: source) }
    }
    let isKept = lock.withLock {
      guard isWaiting, downstream != nil else { return false }
      self.timer = timer
      return true
    }
    if !isKept { timer.cancel() }
  }

  private func end() -> ((any Subscription)?, Downstream?) {
    lock.withLock {
      defer {
        upstream = nil
        downstream = nil
        next = nil
        following = nil
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
      if kind == .concatenate, demand == .none { return nil }
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
      if kind == .concatenate, upstream == nil { return false }
      upstream = nil
      return true
    }
    guard isExpected else { return }
    switch completion {
    case .finished: end().1?.receive(completion: .finished)
    case .failure(let error):
      switch recover(error) {
      case .subscribe(let source): subscribe(to: source)
      case .subscribeLater(let source, let startTimer): wait(startTimer, then: source)
      case .fail(let error): end().1?.receive(completion: .failure(error))
      }
    }
  }
}
