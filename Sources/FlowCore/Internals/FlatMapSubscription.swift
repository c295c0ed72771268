/// The state of one `flatMap` or `merge`: the upstream, its children, and what waits for demand.
///
/// A child counts until its last value has been taken downstream; only then is the upstream asked
/// for another one. Combine asks when the child completes, which without demand drains the source
/// into memory.
@usableFromInline
final class _FlatMapSubscription<Input, Child: Publisher, Downstream: Subscriber>:
  _OwnedSubscription, Subscriber
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  @usableFromInline typealias Failure = Child.Failure
  @usableFromInline typealias Inner = _FlatMapChild<Input, Child, Downstream>

  // Flags come first, where they take what the superclass leaves of a word; as those below, they
  // belong to whoever is inside the owner word (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline var isUpstreamDone = false
  @safe @exclusivity(unchecked) @usableFromInline var isClosed = false
  /// Whether a child is subscribed to for the upstream.
  @safe @exclusivity(unchecked) @usableFromInline var isSubscribing = false

  @usableFromInline let name: StaticString
  @usableFromInline let limit: Int
  @usableFromInline let count: _ChildCount?
  /// What each child costs there.
  @usableFromInline let cost: Int
  /// Who is told of the values that wait.
  @usableFromInline let keeper: _ChildCount?
  @usableFromInline let transform: (Input) -> Child
  /// With so many children one more is `tooMany`.
  @usableFromInline let ceiling: Int
  @usableFromInline let tooMany: Failure?

  // These belong to whoever is inside the owner word.
  @safe @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
  @safe @exclusivity(unchecked) @usableFromInline var upstream: _HeldSubscription?
  /// The children that count, each at its `slot`.
  @safe @exclusivity(unchecked) @usableFromInline var children: ContiguousArray<Inner> = []
  /// Values that wait for demand, in order of arrival; one at most of each child that was asked
  /// for one at a time.
  @safe @exclusivity(unchecked) @usableFromInline var waiting = _Queue<
    (value: Child.Output, child: Inner)
  >()
  @safe @exclusivity(unchecked) @usableFromInline var failure: Failure?
  /// While `isSubscribing`: places that are free again, which are asked for with the value that is
  /// returned, so that nothing recurses.
  @safe @exclusivity(unchecked) @usableFromInline var owed = 0

  @inlinable @inline(__always)
  init(
    _ name: StaticString,
    _ downstream: Downstream,
    limit: Int,
    ceiling: Int = .max,
    tooMany: Failure? = nil,
    count: _ChildCount? = nil,
    cost: Int = 0,
    keeper: _ChildCount? = nil,
    transform: @escaping (Input) -> Child
  ) {
    self.name = name
    self.downstream = downstream
    self.limit = limit
    self.ceiling = ceiling
    self.tooMany = tooMany
    self.count = count
    self.cost = cost
    self.keeper = keeper
    self.transform = transform
    super.init { object, count in
      // memory 7
      let me = unsafe unsafeDowncast(
        object,
        to: _FlatMapSubscription<Input, Child, Downstream>.self
      )
      guard me.enter(noting: count) else { return }
      me.answer()
      me.leave()
    }
  }

  @usableFromInline
  override var description: String { name.description }

  // MARK: Upstream

  @inlinable
  func receive(subscription: any Subscription) {
    owner.enter()
    guard upstream == nil, !isUpstreamDone, !hasEnded else {
      leave()
      return subscription.cancel()
    }
    upstream = subscription._held
    leave()
    // Outside, so that a cancellation gets through to an upstream that never stops sending.
    subscription.request(Subscribers.Demand(_count: limit))
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard !hasEnded else { return giveUp() }
    let child = transform(input)
    owner.enter()
    guard Child._immediacy != .never, demand == .max || demand > 0 && child._hasOneAtMost,
      !isDelivering, waiting.isEmpty, !hasEnded,
      let end = child._forEach({ value in
        if hasEnded { return false }
        send(value)
        if !waiting.isEmpty { settle() }
        return !hasEnded && failure == nil
      })
    else { return subscribe(to: child) }
    if case .failure(let error) = end { failure = failure ?? error }
    if failure != nil || isUpstreamDone || !waiting.isEmpty { settle() }
    leave()
    return limit == .max ? .none : .max(1)
  }

  /// Subscribes to a child, already inside.
  @inlinable
  func subscribe(to child: Child) -> Subscribers.Demand {
    guard !hasEnded else {
      leave()
      return .none
    }
    guard children.count < ceiling else {
      failure = failure ?? tooMany
      settle()
      leave()
      return .none
    }
    let inner = Inner(self, slot: children.count)
    children.append(inner)
    if let count {
      count.open += 1
      count.cost += cost
    }
    let isOutermost = !isSubscribing
    isSubscribing = true
    child.receive(subscriber: inner)
    var more = 0
    if isOutermost {
      isSubscribing = false
      more = owed
      owed = 0
    }
    leave()
    return .max(more)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    owner.enter()
    if !isUpstreamDone {
      isUpstreamDone = true
      upstream = nil
      if case .failure(let error) = completion { failure = failure ?? error }
      settle()
    }
    leave()
  }

  // MARK: Ending

  /// Stops an upstream or a child that sends on after the end, if this thread is inside.
  @inlinable
  func giveUp() -> Subscribers.Demand {
    owner.enter()
    leave()
    return .none
  }

  /// Leaves the owner word, after doing what others have asked for meanwhile.
  @inlinable @inline(__always)
  func leave() {
    if hasEnded { close() }
    owner.exit {
      answer()
      if hasEnded { close() }
    }
  }

  /// Does what has been asked for by a request or a cancellation.
  @usableFromInline
  func answer() {
    let wasLimited = demand != .max
    takeRequests()
    settle()
    guard wasLimited, demand == .max, !hasEnded else { return }
    for child in children { child.requestAll() }
  }

  /// Cancels everything once, and lets go of the downstream as soon as nothing is being sent.
  @usableFromInline
  func close() {
    if !isClosed {
      isClosed = true
      isUpstreamDone = true
      let upstream = upstream
      self.upstream = nil
      let children = children
      self.children = []
      if let count {
        count.open -= children.count
        count.cost -= children.count * cost
      }
      for child in children { child.cancel() }
      upstream?.cancel()
    }
    guard !isDelivering, downstream != nil else { return }
    let old = (downstream, waiting)
    downstream = nil
    waiting = _Queue()
    if let keeper { for (value, _) in old.1.array { keeper.giveBack(value) } }
    withExtendedLifetime(old) {}
  }
}

extension _FlatMapSubscription {
  /// Sends a value for which there is demand; it has not ended.
  @inlinable @inline(__always)
  func send(_ value: Child.Output) {
    isDelivering = true
    if demand != .max { demand &-= 1 }
    let more = withBorrowed(&downstream) { $0.receive(value) }
    demand = addDemand(demand, more)  // which may have grown meanwhile
    isDelivering = false
  }

  /// Sends what waits as far as there is demand, then the end if it has come.
  @inlinable
  func settle() {
    guard !isDelivering else { return }
    while failure == nil, demand > 0, !hasEnded, let (value, child) = waiting.popFirst() {
      keeper?.giveBack(value)
      send(value)
      child.held -= 1
      guard !hasEnded else { continue }
      if !child.isDone { child.requestNext() } else if child.held == 0 { forget(child) }
    }
    guard failure != nil || (isUpstreamDone && children.isEmpty), end() else { return }
    let completion = failure.map { Subscribers.Completion.failure($0) } ?? .finished
    close(sending: completion)
  }

  @usableFromInline
  func close(sending completion: Subscribers.Completion<Failure>) {
    isDelivering = true
    close()
    downstream?.receive(completion: completion)
    isDelivering = false
  }

  // MARK: Children

  /// Takes a value from a child; returns how many more the child may send.
  @inlinable
  func receive(_ value: Child.Output, from child: Inner) -> Subscribers.Demand {
    owner.enter()
    var more = 0
    if hasEnded || child.isDone {
      // It comes too late.
    } else if demand > 0, !isDelivering, waiting.isEmpty, failure == nil {
      send(value)
      if failure != nil || isUpstreamDone || !waiting.isEmpty { settle() }
      if !child.isUnlimited { more = 1 }
    } else {
      child.held += 1
      waiting.append((value, child))
      keeper?.keep(value)
    }
    leave()
    return .max(more)
  }

  @inlinable
  func receive(_ completion: Subscribers.Completion<Failure>, from child: Inner) {
    owner.enter()
    if !hasEnded, !child.isDone {
      child.isDone = true
      child.subscription = nil
      if case .failure(let error) = completion { failure = failure ?? error }
      if child.held == 0 { forget(child) }
      settle()
    }
    leave()
  }

  /// A child's last value has been taken: there is a place for another one.
  @inlinable
  func forget(_ child: Inner) {
    guard child.slot < children.count, children[child.slot] === child else { return }
    let last = children.removeLast()
    if let count {
      count.open -= 1
      count.cost -= cost
    }
    if last !== child {
      last.slot = child.slot
      children[child.slot] = last
    }
    guard limit != .max, !isUpstreamDone else { return }
    if isSubscribing { owed += 1 } else { upstream?.request(.max(1)) }
  }
}
