/// The state of one `exhaustMap`: the upstream, the publisher at work, and the demand.
@usableFromInline
final class ExhaustSubscription<Input, Child: Publisher, Downstream: Subscriber>:
  _OwnedSubscription, _Answering, Subscriber
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  @usableFromInline typealias Failure = Child.Failure
  @usableFromInline typealias Inner = ExhaustChild<Input, Child, Downstream>

  @usableFromInline let transform: (Input) -> Child
  @usableFromInline let onDrop: ((Input) -> Void)?
  // These belong to whoever is inside the owner word (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline var state: State

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

    @inlinable
    init(_ downstream: Downstream) { self.downstream = downstream }
  }

  @inlinable
  init(
    _ downstream: Downstream,
    _ transform: @escaping (Input) -> Child,
    _ onDrop: ((Input) -> Void)?
  ) {
    state = State(downstream)
    self.transform = transform
    self.onDrop = onDrop
    super.init { object, count in
      let me = unsafe unsafeDowncast(object, to: ExhaustSubscription.self)  // memory 7
      guard me.enter(noting: count) else { return }
      me.answer()
      me.leave()
    }
  }

  @usableFromInline
  override var description: String { "ExhaustMap" }

  /// Takes up what has been asked for, and asks the child for it.
  @inlinable
  func answer() {
    let before = delivery.demand
    takeRequests()
    if delivery.demand > before {
      state.child?.askUpstream(delivery.demand == .max ? .max : delivery.demand - before)
    }
  }

  // MARK: Upstream

  @inlinable
  func receive(subscription: any Subscription) {
    owner.enter()
    let isWanted = !hasUpstream && !state.isUpstreamDone && !hasEnded
    if isWanted { keepUpstream(subscription) }
    leave()
    if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    owner.enter()
    guard !hasEnded, hasUpstream else {
      leave()
      return .none
    }
    let isBusy = state.child != nil
    if !isBusy {
      let child = Inner(self)
      state.child = child
      transform(input).receive(subscriber: child)
    }
    leave()
    if isBusy { onDrop?(input) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
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

  /// Takes a value; returns how many more the child may send.
  @inlinable
  func receive(_ value: Child.Output, from child: Inner) -> Int {
    owner.enter()
    var more = 0
    if state.child === child, !hasEnded {
      precondition(delivery.demand > 0, "a publisher sent a value that was not asked for")
      if delivery.demand != .max { delivery.demand &-= 1 }
      if delivery.isUnderWay {
        state.waiting.append(value)
      } else {
        more = send(value)
        while !hasEnded, let value = state.waiting.popFirst() {
          more = addDemand(more, send(value))
        }
        settle()
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
  @inlinable
  func send(_ value: Child.Output) -> Int {
    delivery.isUnderWay = true
    let more = withBorrowed(&state.downstream) { $0.receive(value) }
    delivery.demand = addDemand(delivery.demand, more)
    delivery.isUnderWay = false
    return more
  }

  @inlinable
  func receive(_ completion: Subscribers.Completion<Failure>, from child: Inner) {
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
  func settle() {
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
  func close() {
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

/// The subscriber of a publisher made of a value; what changes belongs to whoever is inside the
/// owner word.
@usableFromInline
final class ExhaustChild<Element, Child: Publisher, Downstream: Subscriber>: _OwnedLink, Subscriber,
  _SelfDescribing
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  @usableFromInline typealias Input = Child.Output
  @usableFromInline typealias Failure = Child.Failure

  @usableFromInline let parent: ExhaustSubscription<Element, Child, Downstream>
  @safe @exclusivity(unchecked) @usableFromInline var isDone = false  // memory 5

  @inlinable
  init(_ parent: ExhaustSubscription<Element, Child, Downstream>) { self.parent = parent }

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

  @inlinable
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
