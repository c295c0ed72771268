/// One child's subscriber; what changes belongs to whoever is inside the parent's owner word.
@usableFromInline
final class _FlatMapChild<Element, Child: Publisher, Downstream: Subscriber>: _OwnedLink,
  Subscriber, _SelfDescribing
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  @usableFromInline typealias Input = Child.Output
  @usableFromInline typealias Failure = Child.Failure
  @usableFromInline typealias Parent = _FlatMapSubscription<Element, Child, Downstream>

  @usableFromInline let parent: Parent
  @safe @exclusivity(unchecked) @usableFromInline var state: _FlatMapChildState  // memory 5

  @inlinable
  init(_ parent: Parent, slot: Int32) {
    self.parent = parent
    state = _FlatMapChildState(slot: slot)
  }

  @usableFromInline
  var description: String { parent.description }

  @usableFromInline
  var _children: [Mirror.Child] { [("parentSubscription", parent.combineIdentifier)] }

  @inlinable
  func receive(subscription: any Subscription) {
    parent.owner.enter()
    let isWanted = !hasUpstream && !state.isDone && !parent.hasEnded
    if isWanted {
      keepUpstream(subscription)
      state.isUnlimited = parent.delivery.demand == .max
    }
    let demand = state.isUnlimited ? Subscribers.Demand.unlimited : .max(1)
    parent.leave()
    if isWanted { subscription.request(demand) } else { subscription.cancel() }
  }

  @inlinable @inline(__always)
  func receive(_ input: Child.Output) -> Subscribers.Demand { parent.receive(input, from: self) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    parent.receive(completion, from: self)
  }

  @inlinable @inline(__always)
  func requestNext() {
    if !state.isUnlimited { askUpstream(1) }
  }

  /// Asks for everything, now that the downstream has.
  @inlinable
  func requestAll() {
    guard !state.isUnlimited, hasUpstream else { return }
    state.isUnlimited = true
    askUpstream(.max)
  }

  @inlinable
  func cancel() {
    state.isDone = true
    cancelUpstream()
  }
}

/// What changes of a child; outside of it, where freeing it need not look its type up.
@usableFromInline
struct _FlatMapChildState {
  /// The place among the parent's children.
  @usableFromInline let slot: Int32
  /// How many of its values wait at the parent.
  @usableFromInline var held = 0
  @usableFromInline var isDone = false
  /// Whether it was asked for everything, or is asked for one value at a time.
  @usableFromInline var isUnlimited = false

  @inlinable @inline(__always)
  init(slot: Int32) { self.slot = slot }
}
