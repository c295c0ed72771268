/// The state of one `flatMap` or `merge`: the upstream, its children, and what waits for demand.
///
/// Everything happens under the owner word, and `isDelivering` keeps a signal that comes from
/// inside a delivery in the queue until that delivery has returned. A child counts until its last
/// value has been taken downstream; only then is the upstream asked for another one. Combine asks
/// when the child completes, which without demand drains the source into memory.
@usableFromInline
final class _FlatMapSubscription<Input, Child: Publisher, Downstream: Subscriber>:
  _ControlSubscription, Subscriber
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  @usableFromInline typealias Failure = Child.Failure
  @usableFromInline typealias Inner = _FlatMapChild<Input, Child, Downstream>
  @usableFromInline typealias Drive = (Child, (Child.Output) -> Bool) -> _ImmediateEnd<Failure>

  @usableFromInline let limit: Int
  @usableFromInline let transform: (Input) -> Child
  /// Runs a child whose values are there at once.
  @usableFromInline let drive: Drive?

  @usableFromInline let owner = OwnerLock()
  @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
  @exclusivity(unchecked) @usableFromInline var upstream: (any Subscription)?
  @exclusivity(unchecked) @usableFromInline var demand = 0
  @exclusivity(unchecked) @usableFromInline var active = 0
  @exclusivity(unchecked) @usableFromInline var children: [ObjectIdentifier: Inner] = [:]
  @exclusivity(unchecked) @usableFromInline var waiting = _Queue<_HeldValue<Inner>>()
  @exclusivity(unchecked) @usableFromInline var isDelivering = false
  @exclusivity(unchecked) @usableFromInline var isUpstreamDone = false
  @exclusivity(unchecked) @usableFromInline var failure: Failure?
  /// While the upstream delivers: children that ended, to be asked for with the return value.
  @exclusivity(unchecked) @usableFromInline var isReceiving = false
  @exclusivity(unchecked) @usableFromInline var owed = 0

  @inlinable @inline(__always)
  init(
    _ name: StaticString,
    _ downstream: Downstream,
    limit: Int,
    drive: Drive?,
    transform: @escaping (Input) -> Child
  ) {
    self.downstream = downstream
    self.limit = limit
    self.drive = drive
    self.transform = transform
    super.init(name) { object, count in
      let me = unsafeDowncast(
        object,
        to: _FlatMapSubscription<Input, Child, Downstream>.self
      )
      if count < 0 { me.end() } else { me.request(count) }
    }
  }

  // MARK: Upstream

  @inlinable
  func receive(subscription: any Subscription) {
    owner.enter()
    guard upstream == nil, let downstream else {
      owner.exit()
      return subscription.cancel()
    }
    upstream = subscription
    downstream.receive(subscription: self)
    if self.downstream != nil { subscription.request(Subscribers.Demand(_count: limit)) }
    owner.exit()
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    let child = transform(input)
    owner.enter()
    defer { owner.exit() }
    guard let downstream else { return .none }
    if let drive, demand == .max, !isDelivering {
      isDelivering = true
      let end = drive(child) { value in
        _ = downstream.receive(value)
        return self.downstream != nil && self.failure == nil
      }
      isDelivering = false
      if case .failure(let error) = end { failure = failure ?? error }
      if failure != nil || !waiting.isEmpty { deliverWaiting() }
      return limit == .max ? .none : .max(1)
    }
    return subscribe(to: child)
  }

  @usableFromInline
  func subscribe(to child: Child) -> Subscribers.Demand {
    let inner = Inner(self)
    active += 1
    children[ObjectIdentifier(inner)] = inner
    let wasReceiving = isReceiving
    isReceiving = true
    child.receive(subscriber: inner)
    isReceiving = wasReceiving
    guard !wasReceiving else { return .none }
    defer { owed = 0 }
    return .max(owed)
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    owner.enter()
    defer { owner.exit() }
    guard downstream != nil, !isUpstreamDone else { return }
    isUpstreamDone = true
    upstream = nil
    if case .failure(let error) = completion { failure = failure ?? error }
    deliverWaiting()
  }

  // MARK: Downstream

  @usableFromInline
  func request(_ count: Int) {
    owner.enter()
    defer { owner.exit() }
    guard downstream != nil else { return }
    demand = addDemand(demand, count)
    deliverWaiting()
  }

  /// Ends everything, without a word downstream.
  @usableFromInline
  func end() {
    owner.enter()
    defer { owner.exit() }
    guard downstream != nil else { return }
    downstream = nil
    let upstream = upstream
    self.upstream = nil
    let children = children.values
    self.children.removeAll()
    let waiting = waiting
    self.waiting = _Queue()
    upstream?.cancel()
    for child in children { child.cancel() }
    withExtendedLifetime(waiting) {}
  }

  // MARK: Children

  /// Takes a value from a child; returns how many more the child may send.
  @usableFromInline
  func receive(_ value: Child.Output, from child: Inner) -> Subscribers.Demand {
    owner.enter()
    defer { owner.exit() }
    guard let downstream else { return .none }
    guard demand > 0, !isDelivering, waiting.isEmpty else {
      child.held += 1
      waiting.append(_HeldValue(value: value, child: child))
      return .none
    }
    isDelivering = true
    if demand != .max { demand -= 1 }
    demand = addDemand(demand, downstream.receive(value)._count)
    isDelivering = false
    if failure != nil || !waiting.isEmpty || isUpstreamDone { deliverWaiting() }
    return child.isUnlimited || self.downstream == nil ? .none : .max(1)
  }

  @usableFromInline
  func childEnded(_ child: Inner, _ completion: Subscribers.Completion<Failure>) {
    owner.enter()
    defer { owner.exit() }
    guard downstream != nil else { return }
    child.isDone = true
    if case .failure(let error) = completion { failure = failure ?? error }
    if child.held == 0 { forget(child) }
    deliverWaiting()
  }

  /// A child's last value has been taken: there is a place for another one.
  private func forget(_ child: Inner) {
    guard children.removeValue(forKey: ObjectIdentifier(child)) != nil else { return }
    active -= 1
    guard limit != .max, !isUpstreamDone else { return }
    if isReceiving { owed += 1 } else { upstream?.request(.max(1)) }
  }

  /// Sends what waits as far as there is demand, then the end if it has come.
  @usableFromInline
  func deliverWaiting() {
    guard !isDelivering else { return }
    while failure == nil, demand > 0, let downstream, let held = waiting.popFirst() {
      isDelivering = true
      if demand != .max { demand -= 1 }
      demand = addDemand(demand, downstream.receive(held.value)._count)
      isDelivering = false
      held.child.held -= 1
      if held.child.held == 0 {
        if held.child.isDone { forget(held.child) } else { held.child.requestNext() }
      }
    }
    guard let downstream, failure != nil || (isUpstreamDone && active == 0) else { return }
    let failure = failure
    end()
    downstream.receive(completion: failure.map { .failure($0) } ?? .finished)
  }
}

/// A value that waits for demand, and the child it came from.
@frozen
@usableFromInline
struct _HeldValue<Child: _FlatMapChildProtocol> {
  @usableFromInline let value: Child.Input
  @usableFromInline let child: Child

  @inlinable
  init(value: Child.Input, child: Child) {
    self.value = value
    self.child = child
  }
}

@usableFromInline
protocol _FlatMapChildProtocol: AnyObject {
  associatedtype Input
}

/// One child's subscriber; its fields are guarded by the parent's owner word.
@usableFromInline
final class _FlatMapChild<Input0, Child: Publisher, Downstream: Subscriber>: Subscriber,
  _FlatMapChildProtocol
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  @usableFromInline typealias Input = Child.Output
  @usableFromInline typealias Failure = Child.Failure

  private let parent: _FlatMapSubscription<Input0, Child, Downstream>
  private var subscription: (any Subscription)?
  fileprivate var held = 0
  fileprivate var isDone = false
  fileprivate private(set) var isUnlimited = false

  @usableFromInline
  init(_ parent: _FlatMapSubscription<Input0, Child, Downstream>) { self.parent = parent }

  @usableFromInline
  func receive(subscription: any Subscription) {
    parent.owner.enter()
    defer { parent.owner.exit() }
    guard self.subscription == nil, !isDone, parent.downstream != nil else {
      return subscription.cancel()
    }
    self.subscription = subscription
    isUnlimited = parent.demand == .max
    subscription.request(isUnlimited ? .unlimited : .max(1))
  }

  @usableFromInline
  func receive(_ input: Child.Output) -> Subscribers.Demand { parent.receive(input, from: self) }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    subscription = nil
    parent.childEnded(self, completion)
  }

  fileprivate func requestNext() {
    if !isUnlimited { subscription?.request(.max(1)) }
  }

  fileprivate func cancel() {
    let old = subscription
    subscription = nil
    isDone = true
    old?.cancel()
  }
}
