/// Goes on with another publisher when one has ended, carrying over the demand that is not met.
///
/// A publisher that ends while it is being subscribed to does not recurse: the loop in
/// `subscribe(to:)` takes the next one.
@usableFromInline
final class Resubscriber<Failure: Error, Downstream: Subscriber>:
  _OwnedSubscription, _Answering, Subscriber
{
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
    /// Passes a request for no values upstream.
    case concatenate
  }

  @usableFromInline let kind: Kind
  @usableFromInline let name: String
  @usableFromInline let recover: (Failure) -> Recovery
  // These belong to whoever is inside the owner word (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline var state: State

  @usableFromInline
  struct State {
    @usableFromInline var next: Source?
    /// What `resume()` goes on with.
    @usableFromInline var following: Source?
    @usableFromInline var timer: (any Cancellable)?
    /// How many publishers have been subscribed to.
    @usableFromInline var round = 0
    @usableFromInline var isSubscribing = false
    @usableFromInline var isStarted = false
    @usableFromInline var isWaiting = false
    /// Upstreams that have ended while they were being asked.
    @usableFromInline var outlived: [AnyObject] = []
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
      guard me.enter(noting: count) else { return }
      if count == 0 { me.ask(0) }
      me.answer()
      me.leave()
    }
  }

  @usableFromInline
  override var description: String { name }

  @usableFromInline
  override var _takesNone: Bool { kind == .concatenate }

  @usableFromInline
  override var _children: [Mirror.Child] {
    guard kind == .catch else { return [] }
    let downstream = state.downstream
    return [
      ("downstream", downstream.map { $0 as Any } ?? downstream as Any),
      ("demand", Subscribers.Demand(_count: delivery.demand)),
    ]
  }

  /// Takes up what has been asked for, and asks the present publisher for it.
  @inlinable
  func answer() {
    let count = takeAsked()
    guard count > 0 else { return }
    delivery.demand = addDemand(delivery.demand, count)
    ask(count)
  }

  @inlinable @inline(__always)
  func ask(_ count: Int) {
    askUpstream(count)
    if !state.outlived.isEmpty, upstream.calls == 0 { state.outlived = [] }
  }

  // MARK: One publisher after the other

  /// Subscribes to a publisher, or to what follows it if it ends at once.
  @inlinable
  func subscribe(to source: @escaping Source) {
    owner.enter()
    goOn(with: source)
    leave()
  }

  /// The same, already inside.
  @inlinable
  func goOn(with source: @escaping Source) {
    state.next = source
    guard !state.isSubscribing else { return }
    state.isSubscribing = true
    while !hasEnded, let source = state.next.take() {
      state.round += 1
      source(self)
    }
    state.isSubscribing = false
  }

  /// Whether the publisher with this number is the present one, and has not ended.
  @inlinable @inline(__always)
  func isIn(_ round: Int?) -> Bool {
    guard let round else { return true }
    guard state.round == round else { return false }
    if case .none = state.next { return true }
    return false
  }

  /// Subscribes when a timer fires, unless it is cancelled before; already inside.
  @inlinable
  func wait(
    _ startTimer: (@escaping () -> Void) -> any Cancellable,
    then source: @escaping Source
  ) {
    state.isWaiting = true
    let timer = startTimer {
      self.owner.enter()
      if self.state.isWaiting {
        self.state.isWaiting = false
        self.state.timer.take()?.cancel()
        self.goOn(with: source)
      }
      self.leave()
    }
    if state.isWaiting, !hasEnded { state.timer = timer } else { timer.cancel() }
  }

  // MARK: Signals

  @inlinable
  func receive(subscription: any Subscription) { receive(subscription, in: nil) }

  @inlinable
  func receive(_ subscription: any Subscription, in round: Int?) {
    owner.enter()
    guard !hasEnded, !hasUpstream, isIn(round) else {
      leave()
      return subscription.cancel()
    }
    if let old = upstream.upstream.take() { state.outlived.append(old) }
    keepUpstream(subscription)
    let isFirst = !state.isStarted
    state.isStarted = true
    // Once this is left, requests go to this upstream directly.
    let demand = isFirst ? 0 : delivery.demand
    if isFirst { deliver { $0.receive(subscription: self) } }
    leave()
    if demand > 0 { subscription.request(Subscribers.Demand(_count: demand)) }
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand { receive(input, in: nil) }

  /// Takes a value, of the publisher with this number if one is told.
  @inlinable @inline(__always)
  func receive(_ input: Input, in round: Int?) -> Subscribers.Demand {
    owner.enter()
    var more = 0
    if !hasEnded, !state.isWaiting, isIn(round) {
      delivery.takeDemand()
      let round = state.round
      more = askAnew(deliver { $0.receive(input) }, after: round)
    }
    leave()
    return Subscribers.Demand(_count: more)
  }

  /// Asks for what came back with values of the publisher with this number, unless it can be returned
  /// to that publisher; returns what can.
  @inlinable @inline(__always)
  func askAnew(_ more: Int, after round: Int) -> Int {
    guard more > 0 else { return 0 }
    delivery.demand = addDemand(delivery.demand, more)
    guard state.round != round || !hasUpstream || kind == .retry else { return more }
    ask(more)  // which may be the next one, if this was the last value
    return 0
  }

  /// Sends the downstream something; it stays in place meanwhile.
  @inlinable @inline(__always)
  func deliver<R>(_ send: (borrowing _Borrowed<Downstream>) -> R) -> R {
    let wasUnderWay = delivery.isUnderWay
    delivery.isUnderWay = true
    defer { delivery.isUnderWay = wasUnderWay }
    return withBorrowed(&state.downstream, send)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) { receive(completion, in: nil) }

  @inlinable
  func receive(_ completion: Subscribers.Completion<Failure>, in round: Int?) {
    owner.enter()
    if !hasEnded, !state.isWaiting, isIn(round), state.isStarted || kind == .retry,
      kind != .concatenate || hasUpstream
    {
      endUpstream()
      switch completion {
      case .finished:
        if let source = state.following.take() { goOn(with: source) } else { finish(.finished) }
      case .failure(let error):
        switch recover(error) {
        case .subscribe(let source): goOn(with: source)
        case .subscribeLater(let source, let startTimer): wait(startTimer, then: source)
        case .fail(let error): finish(.failure(error))
        }
      }
    }
    leave()
  }

  // MARK: Ending

  @inlinable
  func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
    guard end() else { return }
    let wasUnderWay = delivery.isUnderWay
    delivery.isUnderWay = true
    close()
    withBorrowed(&state.downstream) { $0.receive(completion: completion) }
    delivery.isUnderWay = wasUnderWay
  }

  /// Cancels what is under way, and lets go of the downstream as soon as nothing is being sent.
  @inlinable
  func close() {
    let timer = state.timer.take()
    state.next = nil
    state.following = nil
    state.isWaiting = false
    timer?.cancel()
    cancelUpstream()
    guard !delivery.isUnderWay, let old = state.downstream else { return }
    state.downstream = nil
    withExtendedLifetime(old) {}
  }
}
