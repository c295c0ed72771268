/// One child's subscriber; what changes belongs to whoever is inside the parent's owner word.
@usableFromInline
final class _FlatMapChild<Element, Child: Publisher, Downstream: Subscriber>: Subscriber,
  _SelfDescribing
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  @usableFromInline typealias Input = Child.Output
  @usableFromInline typealias Failure = Child.Failure
  @usableFromInline typealias Parent = _FlatMapSubscription<Element, Child, Downstream>

  @usableFromInline let parent: Parent
  /// The place among the parent's children.
  @safe @exclusivity(unchecked) @usableFromInline var slot: Int  // memory 5
  @safe @exclusivity(unchecked) @usableFromInline var subscription: (any Subscription)?
  /// How many of its values wait at the parent.
  @safe @exclusivity(unchecked) @usableFromInline var held = 0
  @safe @exclusivity(unchecked) @usableFromInline var isDone = false
  /// Whether it was asked for everything, or is asked for one value at a time.
  @safe @exclusivity(unchecked) @usableFromInline var isUnlimited = false

  @inlinable
  init(_ parent: Parent, slot: Int) {
    self.parent = parent
    self.slot = slot
  }

  @usableFromInline
  var description: String { parent.description }

  @usableFromInline
  var _children: [Mirror.Child] { [("parentSubscription", parent.combineIdentifier)] }

  @inlinable
  func receive(subscription: any Subscription) {
    parent.owner.enter()
    let isWanted = self.subscription == nil && !isDone && !parent.hasEnded
    if isWanted {
      self.subscription = subscription
      isUnlimited = parent.demand == .max
    }
    let demand = isUnlimited ? Subscribers.Demand.unlimited : .max(1)
    parent.leave()
    if isWanted { subscription.request(demand) } else { subscription.cancel() }
  }

  @inlinable @inline(__always)
  func receive(_ input: Child.Output) -> Subscribers.Demand { parent.receive(input, from: self) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    parent.receive(completion, from: self)
  }

  @inlinable
  func requestNext() {
    if !isUnlimited { subscription?.request(.max(1)) }
  }

  /// Asks for everything, now that the downstream has.
  @usableFromInline
  func requestAll() {
    guard !isUnlimited, !isDone, let subscription else { return }
    isUnlimited = true
    subscription.request(.unlimited)
  }

  @usableFromInline
  func cancel() {
    let subscription = subscription
    self.subscription = nil
    isDone = true
    subscription?.cancel()
  }
}
