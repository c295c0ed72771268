/// Goes on with another publisher when one has ended, carrying over the demand that is not met.
///
/// A publisher that ends while it is being subscribed to does not recurse: the loop in
/// `subscribe(to:)` takes the next one.
@usableFromInline
final class Resubscriber<Failure: Error, Downstream: Subscriber>: _ControlSubscription, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  /// Subscribes this object to a publisher.
  @usableFromInline typealias Source = (Resubscriber) -> Void

  /// What follows a failure.
  @frozen
  @usableFromInline
  enum Recovery {
    case subscribe(Source)
    /// Subscribes when the timer fires that the closure starts; once it has, it is cancelled.
    case subscribeLater(Source, (@escaping () -> Void) -> any Cancellable)
    case fail(Downstream.Failure)
  }

  /// The operators that it serves.
  @frozen
  @usableFromInline
  enum Kind {
    case `catch`
    /// Asks for what comes back with a value, and takes an end without a subscription before it.
    case retry
    /// Ignores values without demand, and passes on a request for nothing.
    case concatenate
  }

  @usableFromInline let name: String
  @usableFromInline let kind: Kind
  @usableFromInline let recover: (Failure) -> Recovery
  @usableFromInline let lock = Lock()
  // memory 5: for whoever is inside.
  @safe @exclusivity(unchecked) @usableFromInline var state: State

  @usableFromInline
  struct State {
    @usableFromInline var upstream: (any Subscription)?
    @usableFromInline var demand = Subscribers.Demand.none
    @usableFromInline var next: Source?
    /// What `resume()` goes on with.
    @usableFromInline var following: Source?
    @usableFromInline var timer: (any Cancellable)?
    /// How many publishers have been subscribed to.
    @usableFromInline var round = 0
    @usableFromInline var isSubscribing = false
    @usableFromInline var isStarted = false
    @usableFromInline var isWaiting = false
    @usableFromInline var downstream: Downstream?

    @inlinable @inline(__always)
    init(_ downstream: Downstream, following: Source?) {
      self.downstream = downstream
      self.following = following
    }
  }

  @inlinable @inline(__always)
  init(
    _ name: String,
    _ kind: Kind,
    _ downstream: Downstream,
    following: Source? = nil,
    recover: @escaping (Failure) -> Recovery
  ) {
    state = State(downstream, following: following)
    self.name = name
    self.kind = kind
    self.recover = recover
    super.init { object, count in
      let me = unsafe unsafeDowncast(object, to: Resubscriber.self)  // memory 7
      if count < 0 { me.stop() } else { me.ask(Subscribers.Demand(_count: count)) }
    }
  }

  @usableFromInline
  override var description: String { name }

  @usableFromInline
  override var _takesNone: Bool { kind == .concatenate }

  @usableFromInline
  override var _children: [Mirror.Child] {
    guard kind == .catch else { return [] }
    let (downstream, demand) = lock.withLock { (state.downstream, state.demand) }
    return [("downstream", downstream.map { $0 as Any } ?? downstream as Any), ("demand", demand)]
  }

  @inlinable
  func subscribe(to source: @escaping Source) {
    let mayLoop = lock.withLock {
      state.next = source
      guard !state.isSubscribing else { return false }
      state.isSubscribing = true
      return true
    }
    guard mayLoop else { return }
    while let source = takeNext() { source(self) }
  }

  @inlinable
  func takeNext() -> Source? {
    lock.withLock {
      guard state.downstream != nil, let source = state.next else {
        state.isSubscribing = false
        state.next = nil
        return nil
      }
      state.next = nil
      state.round += 1
      return source
    }
  }

  /// Whether the publisher with this number is the present one, and has not ended.
  @inlinable
  func isIn(_ round: Int) -> Bool { lock.withLock { state.round == round && state.next == nil } }

  /// Goes on with what follows, as the present publisher has finished.
  @inlinable
  func resume() {
    let source: Source? = lock.withLock {
      guard state.upstream != nil else { return nil }
      state.upstream = nil
      return state.following.take()
    }
    if let source { subscribe(to: source) }
  }

  @inlinable
  func ask(_ demand: Subscribers.Demand) {
    let upstream = lock.withLock {
      state.demand += demand
      return state.upstream
    }
    upstream?.request(demand)
  }

  @inlinable
  func stop() {
    let timer = lock.withLock { state.timer.take() }
    let (upstream, downstream) = end()
    timer?.cancel()
    upstream?.cancel()
    withExtendedLifetime(downstream) {}
  }

  /// Subscribes when a timer fires, unless it is cancelled before.
  @inlinable
  func wait(
    _ startTimer: (@escaping () -> Void) -> any Cancellable,
    then source: @escaping Source
  ) {
    lock.withLock { state.isWaiting = true }
    let timer = startTimer {
      let (isDue, timer) = self.lock.withLock {
        defer { self.state.isWaiting = false }
        return (self.state.isWaiting, self.state.timer.take())
      }
      timer?.cancel()
      if isDue { self.subscribe(to: source) }
    }
    let isKept = lock.withLock {
      guard state.isWaiting, state.downstream != nil else { return false }
      state.timer = timer
      return true
    }
    if !isKept { timer.cancel() }
  }

  @inlinable
  func end() -> ((any Subscription)?, Downstream?) {
    lock.withLock {
      defer {
        state.upstream = nil
        state.downstream = nil
        state.next = nil
        state.following = nil
      }
      return (state.upstream, state.downstream)
    }
  }

  @inlinable
  func receive(subscription: any Subscription) {
    let accepted: (downstream: Downstream, isFirst: Bool, demand: Subscribers.Demand)? =
      lock.withLock {
        guard let downstream = state.downstream, state.upstream == nil else { return nil }
        state.upstream = subscription
        defer { state.isStarted = true }
        // With the lock once released, requests go to this upstream directly.
        return (downstream, !state.isStarted, state.demand)
      }
    guard let accepted else { return subscription.cancel() }
    if accepted.isFirst { return accepted.downstream.receive(subscription: self) }
    if accepted.demand > 0 { subscription.request(accepted.demand) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    let (taker, round): (Downstream?, Int) = lock.withLock {
      guard let downstream = state.downstream else { return (nil, 0) }
      if kind == .concatenate, state.demand == .none { return (nil, 0) }
      precondition(state.demand > 0, "\(name) got a value that it has not asked for")
      state.demand -= 1
      return (downstream, state.round)
    }
    guard let more = taker?.receive(input) else { return .none }
    return ask(more, after: round)
  }

  /// Asks for more after values of the publisher with this number; returns what that is still asked for.
  @inlinable
  func ask(_ more: Subscribers.Demand, after round: Int) -> Subscribers.Demand {
    guard more > 0 else { return .none }
    let (upstream, isSame) = lock.withLock {
      state.demand += more
      return (state.upstream, state.round == round)
    }
    if isSame, upstream != nil, kind != .retry { return more }
    upstream?.request(more)  // which may be the next one, if this was the last value
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    let isExpected = lock.withLock {
      guard state.downstream != nil, state.isStarted || kind == .retry else { return false }
      if kind == .concatenate, state.upstream == nil { return false }
      state.upstream = nil
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
