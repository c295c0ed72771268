/// The state of one `flatMap` or `merge`: the upstream, its children, and what waits for demand.
///
/// A child counts until its last value has been taken downstream; only then is the upstream asked
/// for another one. Combine asks when the child completes, which without demand drains the source
/// into memory.
@usableFromInline
final class _FlatMapSubscription<Input, Child: Publisher, Downstream: Subscriber>:
  _OwnedSubscription, _Answering, Subscriber
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  @usableFromInline typealias Failure = Child.Failure
  @usableFromInline typealias Inner = _FlatMapChild<Input, Child, Downstream>

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

  // This belongs to whoever is inside the owner word (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline var state: State

  /// A child that counts: a subscriber, or a cursor from which its values are taken.
  @usableFromInline
  struct Open {
    @usableFromInline var inner: Inner?
    @usableFromInline var cursor: Child._Cursor?
    /// Nobody's slot: the next one that is free as well, or -1.
    @usableFromInline var nextFree: Int32 = -1

    @inlinable init() {}
  }

  @usableFromInline
  struct State {
    /// The children that count, each at its slot; some slots are free.
    @usableFromInline var open: ContiguousArray<Open> = []
    @usableFromInline var firstFree: Int32 = -1
    /// How many slots are not free.
    @usableFromInline var openCount = 0
    /// Values that wait for demand, in order of arrival, each with the slot of its child.
    ///
    /// One at most of each child that was asked for one at a time. A child that is all in its value
    /// has no slot, which is -1.
    @usableFromInline var waiting = Fifo<(value: Child.Output, slot: Int32)>()
    /// How many of the children that count are all in a value that waits.
    @usableFromInline var values = 0
    /// Places that are free again, and not yet asked for: while `isSubscribing`, they are asked for
    /// with the value that is returned, so that nothing recurses; while `isSettling`, when nothing
    /// waits any more.
    @usableFromInline var owed = 0
    @usableFromInline var isSettling = false
    @usableFromInline var isUpstreamDone = false
    @usableFromInline var isClosed = false
    /// Whether a child is subscribed to for the upstream.
    @usableFromInline var isSubscribing = false
    /// Whether there is a failure, of which the first counts.
    @usableFromInline var hasFailed = false
    // Where these lie has to be looked up in code that does not know the types: they come last.
    @usableFromInline var failure: Failure?
    @usableFromInline var downstream: Downstream?

    @inlinable @inline(__always)
    init(_ downstream: Downstream) { self.downstream = downstream }

    @inlinable
    mutating func fail(_ error: Failure?) {
      if !hasFailed { failure = error }
      hasFailed = true
    }
  }

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
    state = State(downstream)
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
    guard !hasUpstream, !state.isUpstreamDone, !hasEnded else {
      leave()
      return subscription.cancel()
    }
    keepUpstream(subscription)
    leave()
    // Outside, so that a cancellation gets through to an upstream that never stops sending.
    if limit > 0 { subscription.request(Subscribers.Demand(_count: limit)) }
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard !hasEnded else { return giveUp() }
    let child = transform(input)
    owner.enter()
    guard Child._immediacy != .never else { return subscribe(to: child) }
    guard child._atMost <= delivery.demand, !delivery.isUnderWay, state.waiting.isEmpty, !hasEnded,
      let end = child._forEach({ value in
        if hasEnded { return false }
        send(value)
        // What came meanwhile must not take the demand that is there for the rest.
        if delivery.demand == .max, !state.waiting.isEmpty { settle() }
        return !hasEnded && !state.hasFailed
      })
    else { return child._atMost == 1 ? hold(child) : open(child) }
    if case .failure(let error) = end { state.fail(error) }
    if state.hasFailed || state.isUpstreamDone || !state.waiting.isEmpty { settle() }
    leave()
    return limit == .max ? .none : .max(1)
  }

  /// Lets the one value of a child wait, if it is there at once, already inside.
  @inlinable
  func hold(_ child: Child) -> Subscribers.Demand {
    var isHeld = false
    guard !hasEnded, openChildren < ceiling,
      let end = child._forEach({ value in
        if hasEnded { return false }
        isHeld = true
        state.waiting.append((value, -1))
        keeper?.keep(value)
        return true
      })
    else { return subscribe(to: child) }
    if isHeld, !hasEnded {
      state.values &+= 1
      count?.open(cost)
    }
    if case .failure(let error) = end { state.fail(error) }
    if !isHeld || state.hasFailed { settle() }
    leave()
    return isHeld || limit == .max ? .none : .max(1)
  }

  @inlinable @inline(__always)
  var openChildren: Int { state.openCount &+ state.values }

  /// Takes the values of a child from a cursor, if there is one, already inside.
  @inlinable
  func open(_ child: Child) -> Subscribers.Demand {
    guard let cursor = child._cursor else { return subscribe(to: child) }
    return open { takeValues(of: cursor, at: $0) }
  }

  /// Subscribes to a child, already inside.
  @inlinable
  func subscribe(to child: Child) -> Subscribers.Demand {
    open { slot in
      let inner = Inner(self, slot: slot)
      state.open[Int(slot)].inner = inner
      child.receive(subscriber: inner)
    }
  }

  /// Lets `begin` begin with a child that has a slot, already inside, and leaves.
  @inlinable @inline(__always)
  func open(_ begin: (_ slot: Int32) -> Void) -> Subscribers.Demand {
    guard !hasEnded else {
      leave()
      return .none
    }
    guard openChildren < ceiling else {
      state.fail(tooMany)
      settle()
      leave()
      return .none
    }
    count?.open(cost)
    let isOutermost = !state.isSubscribing
    state.isSubscribing = true
    begin(takeSlot())
    var more = 0
    if isOutermost {
      state.isSubscribing = false
      more = limit == .max || state.isUpstreamDone ? 0 : state.owed
      state.owed = 0
    }
    leave()
    return .max(more)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    owner.enter()
    if !state.isUpstreamDone {
      state.isUpstreamDone = true
      endUpstream()
      if case .failure(let error) = completion { state.fail(error) }
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

  /// Does what has been asked for by a request or a cancellation.
  @inlinable
  func answer() {
    let wasLimited = delivery.demand != .max
    takeRequests()
    settle()
    guard wasLimited, delivery.demand == .max, !hasEnded else { return }
    for child in state.open { child.inner?.requestAll() }
  }

  /// Cancels everything once, and lets go of the downstream as soon as nothing is being sent.
  @inlinable
  func close() {
    if !state.isClosed {
      state.isClosed = true
      state.isUpstreamDone = true
      let children = state.open
      count?.close(openChildren, cost)
      state.open = []
      state.firstFree = -1
      state.openCount = 0
      state.values = 0
      cancel(children)
      cancelUpstream()
    }
    guard !delivery.isUnderWay, state.downstream != nil else { return }
    let old = (state.downstream, state.waiting)
    state.downstream = nil
    state.waiting = Fifo()
    if let keeper { for (value, _) in old.1.elements { keeper.giveBack(value) } }
    withExtendedLifetime(old) {}
  }
}

extension _FlatMapSubscription {
  /// Cancels the children; if they are many and counted, when their count says so.
  @inlinable
  func cancel(_ children: ContiguousArray<Open>) {
    guard let count, children.count > _ChildCount.many else {
      for child in children { child.inner?.cancel() }
      return
    }
    var next = 0
    // Until they are cancelled, their values go nowhere.
    count.cancel(each: { [self] in
      owner.enter()
      children[next].inner?.cancel()
      leave()
      next += 1
      return next < children.count
    })
  }

  /// Sends a value for which there is demand; it has not ended.
  @inlinable @inline(__always)
  func send(_ value: Child.Output) {
    delivery.isUnderWay = true
    if delivery.demand != .max { delivery.demand &-= 1 }
    let more = withBorrowed(&state.downstream) { $0.receive(value) }
    delivery.demand = addDemand(delivery.demand, more)  // which may have grown meanwhile
    delivery.isUnderWay = false
  }

  /// Sends what waits as far as there is demand, then the end if it has come.
  @inlinable
  func settle() {
    guard !delivery.isUnderWay else { return }
    let wasSettling = state.isSettling
    state.isSettling = true
    while !state.hasFailed, delivery.demand > 0, !hasEnded,
      let (value, slot) = state.waiting.popFirst()
    {
      keeper?.giveBack(value)
      send(value)
      guard !hasEnded else { continue }
      if slot < 0 {
        state.values &-= 1
        count?.close(1, cost)
        state.owed &+= 1
      } else if let child = state.open[Int(slot)].inner {
        child.state.held -= 1
        if !child.state.isDone {
          child.requestNext()
        } else if child.state.held == 0 {
          forget(child)
        }
      } else if let cursor = state.open[Int(slot)].cursor.take() {
        takeValues(of: cursor, at: slot)
      }
      // With nothing waiting, what comes now is sent as it comes.
      if state.waiting.isEmpty { requestOwed() }
    }
    state.isSettling = wasSettling
    requestOwed()
    guard state.hasFailed || (state.isUpstreamDone && openChildren == 0), end() else { return }
    let completion = state.failure.map { Subscribers.Completion.failure($0) } ?? .finished
    close(sending: completion)
  }

  @inlinable
  func close(sending completion: Subscribers.Completion<Failure>) {
    delivery.isUnderWay = true
    close()
    state.downstream?.receive(completion: completion)
    delivery.isUnderWay = false
  }

  // MARK: Children

  /// Takes a value from a child; returns how many more the child may send.
  @inlinable
  func receive(_ value: Child.Output, from child: Inner) -> Subscribers.Demand {
    owner.enter()
    var more = 0
    if hasEnded || child.state.isDone {
      // It comes too late.
    } else if delivery.demand > 0, !delivery.isUnderWay, state.waiting.isEmpty, !state.hasFailed {
      send(value)
      if state.hasFailed || state.isUpstreamDone || !state.waiting.isEmpty { settle() }
      if !child.state.isUnlimited { more = 1 }
    } else {
      child.state.held += 1
      state.waiting.append((value, child.state.slot))
      keeper?.keep(value)
    }
    leave()
    return .max(more)
  }

  @inlinable
  func receive(_ completion: Subscribers.Completion<Failure>, from child: Inner) {
    owner.enter()
    if !hasEnded, !child.state.isDone {
      child.state.isDone = true
      child.endUpstream()
      if case .failure(let error) = completion { state.fail(error) }
      if child.state.held == 0 { forget(child) }
      settle()
    }
    leave()
  }

  /// Sends the values of a child that are next, as far as there is demand; one more waits.
  @inlinable
  func takeValues(of cursor: Child._Cursor, at slot: Int32) {
    var cursor = cursor  // not in its slot, since what it calls may lead back here
    while !hasEnded, !cursor.isAtEnd {
      guard let value = cursor.next() else { continue }
      if hasEnded { return }
      if delivery.demand > 0, !delivery.isUnderWay, state.waiting.isEmpty, !state.hasFailed {
        send(value)
        if !state.waiting.isEmpty || state.hasFailed { settle() }
      } else {
        state.open[Int(slot)].cursor = cursor
        state.waiting.append((value, slot))
        keeper?.keep(value)
        return
      }
    }
    guard !hasEnded else { return }
    free(slot)
    if state.isUpstreamDone, !state.isSettling { settle() }
  }

  /// A child's last value has been taken: there is a place for another one.
  @inlinable
  func forget(_ child: Inner) {
    let slot = child.state.slot
    guard slot < state.open.count, state.open[Int(slot)].inner === child else { return }
    free(slot)
  }

  @inlinable
  func takeSlot() -> Int32 {
    state.openCount &+= 1
    let slot = state.firstFree
    guard slot >= 0 else {
      state.open.append(Open())
      return Int32(state.open.count - 1)
    }
    state.firstFree = state.open[Int(slot)].nextFree
    return slot
  }

  @inlinable
  func free(_ slot: Int32) {
    state.open[Int(slot)].inner = nil
    state.open[Int(slot)].cursor = nil
    state.open[Int(slot)].nextFree = state.firstFree
    state.firstFree = slot
    state.openCount &-= 1
    count?.close(1, cost)
    state.owed &+= 1
    if !state.isSettling { requestOwed() }
  }

  /// Asks the upstream for as many children as there are places free again.
  @inlinable @inline(__always)
  func requestOwed() {
    guard state.owed > 0, !state.isSubscribing else { return }
    let free = state.owed
    state.owed = 0
    if limit != .max, !state.isUpstreamDone, !state.hasFailed {
      askUpstream(free)
    }
  }
}
