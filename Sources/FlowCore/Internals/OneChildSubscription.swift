/// What operators share that have one publisher at work at a time.
///
/// It has the upstream, that publisher and the demand. Operators differ in what they do with a value
/// that comes meanwhile.
@usableFromInline
class _OneChildSubscription<Child: Publisher, Downstream: Subscriber>:
  _OwnedSubscription, _Answering
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  @usableFromInline typealias Failure = Child.Failure
  @usableFromInline typealias Inner = _OneChild<Child, Downstream>

  // These belong to whoever is inside the owner word (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline final var state: State

  @usableFromInline
  struct State {
    /// The publisher at work, until it has ended.
    @usableFromInline var child: Inner?
    /// Values that came while another one was being sent.
    @usableFromInline var waiting = Fifo<Child.Output>()
    @usableFromInline var isUpstreamDone = false
    @usableFromInline var isClosed = false
    @usableFromInline var failure: Failure?
    @usableFromInline var downstream: Downstream?

    @inlinable @inline(__always)
    init(_ downstream: Downstream) { self.downstream = downstream }
  }

  @inlinable @inline(__always)
  init(_ downstream: Downstream) {
    state = State(downstream)
    super.init { object, count in
      // memory 7
      let me = unsafe unsafeDowncast(object, to: _OneChildSubscription<Child, Downstream>.self)
      guard me.enter(noting: count) else { return }
      me.answer()
      me.leave()
    }
  }

  /// Takes up what has been asked for, and asks the child for it.
  @inlinable
  final func answer() {
    let before = delivery.demand
    takeRequests()
    if delivery.demand > before {
      state.child?.askUpstream(delivery.demand == .max ? .max : delivery.demand - before)
    }
  }

  // MARK: Upstream

  @inlinable
  final func receive(subscription: any Subscription) {
    owner.enter()
    let isWanted = !hasUpstream && !state.isUpstreamDone && !hasEnded
    if isWanted { keepUpstream(subscription) }
    leave()
    if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
  }

  /// Has a publisher at work, which is asked for what is wanted; it counts as at work while it is made.
  @inlinable @inline(__always)
  final func begin(with publisher: @autoclosure () -> Child) {
    let inner = Inner(self)
    state.child = inner
    publisher().receive(subscriber: inner)
  }

  @inlinable
  final func receive(completion: Subscribers.Completion<Failure>) {
    owner.enter()
    if !state.isUpstreamDone {
      state.isUpstreamDone = true
      endUpstream()
      if case .failure(let error) = completion { state.failure = state.failure ?? error }
      settle()
    }
    leave()
  }

  // MARK: The child

  /// Takes a value of the child; returns how many more it may send.
  @inlinable @inline(__always)
  final func receive(_ value: Child.Output, from child: Inner) -> Int {
    owner.enter()
    var more = 0
    if state.child === child, !hasEnded {
      delivery.takeDemand()
      if delivery.isUnderWay {
        state.waiting.append(value)
      } else {
        more = send(value)
        if !state.waiting.isEmpty { more = addDemand(more, sendWaiting()) }
        if state.failure != nil || state.isUpstreamDone { settle() }
        if state.child !== child, more > 0 {
          state.child?.askUpstream(more)
          more = 0
        }
      }
    }
    leave()
    return more
  }

  /// Sends a value that is off the demand; returns what was asked for with it.
  @inlinable @inline(__always)
  final func send(_ value: Child.Output) -> Int {
    delivery.isUnderWay = true
    let more = withBorrowed(&state.downstream) { $0.receive(value) }
    delivery.demand = addDemand(delivery.demand, more)
    delivery.isUnderWay = false
    return more
  }

  @inlinable
  final func sendWaiting() -> Int {
    var more = 0
    while !hasEnded, let value = state.waiting.popFirst() { more = addDemand(more, send(value)) }
    return more
  }

  @inlinable
  final func receive(_ completion: Subscribers.Completion<Failure>, from child: Inner) {
    owner.enter()
    if state.child === child, !hasEnded {
      state.child = nil
      child.end()
      if case .failure(let error) = completion { state.failure = state.failure ?? error }
      settle()
    }
    leave()
  }

  // MARK: Ending

  /// Sends the end, if it has come.
  @inlinable
  final func settle() {
    guard !delivery.isUnderWay,
      state.failure != nil || (state.isUpstreamDone && state.child == nil), end()
    else { return }
    delivery.isUnderWay = true
    close()
    state.downstream?.receive(completion: state.failure.map { .failure($0) } ?? .finished)
    delivery.isUnderWay = false
  }

  /// Cancels everything once, and lets go of the downstream as soon as nothing is being sent.
  @inlinable
  final func close() {
    if !state.isClosed {
      state.isClosed = true
      state.isUpstreamDone = true
      let child = state.child
      state.child = nil
      child?.cancel()
      cancelUpstream()
    }
    guard !delivery.isUnderWay, state.downstream != nil else { return }
    let old = state.downstream
    state.downstream = nil
    state.waiting.takeAll().letGo()
    withExtendedLifetime(old) {}
  }
}

/// One publisher's subscriber; what changes belongs to whoever is inside the owner word.
@usableFromInline
final class _OneChild<Child: Publisher, Downstream: Subscriber>: _OwnedLink, Subscriber,
  _SelfDescribing
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  @usableFromInline typealias Input = Child.Output
  @usableFromInline typealias Failure = Child.Failure

  @usableFromInline let parent: _OneChildSubscription<Child, Downstream>
  @safe @exclusivity(unchecked) @usableFromInline var isDone = false  // memory 5

  @inlinable
  init(_ parent: _OneChildSubscription<Child, Downstream>) { self.parent = parent }

  @usableFromInline
  var description: String { parent.description }

  @usableFromInline
  var _children: [Mirror.Child] { [("parentSubscription", parent.combineIdentifier)] }

  @inlinable
  func receive(subscription: any Subscription) {
    parent.owner.enter()
    let isWanted = !hasUpstream && !isDone && parent.state.child === self && !parent.hasEnded
    if isWanted { keepUpstream(subscription) }
    let demand = parent.delivery.demand
    parent.leave()
    if !isWanted { return subscription.cancel() }
    if demand > 0 { subscription.request(Subscribers.Demand(_count: demand)) }
  }

  @inlinable @inline(__always)
  func receive(_ input: Child.Output) -> Subscribers.Demand {
    Subscribers.Demand(_count: parent.receive(input, from: self))
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    parent.receive(completion, from: self)
  }

  @inlinable
  func end() {
    isDone = true
    endUpstream()
  }

  @inlinable
  func cancel() {
    isDone = true
    cancelUpstream()
  }
}
