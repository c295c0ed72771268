/// The state of one `switchToLatest`: the upstream, the publisher that came last, and the demand.
@usableFromInline
final class _SwitchSubscription<Child: Publisher, Downstream: Subscriber>: _OwnedSubscription,
  Subscriber
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  @usableFromInline typealias Input = Child
  @usableFromInline typealias Failure = Child.Failure
  @usableFromInline typealias Inner = _SwitchChild<Child, Downstream>

  // These belong to whoever is inside the owner word (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
  @safe @exclusivity(unchecked) @usableFromInline var upstream: (any Subscription)?
  /// The publisher that came last, until it has ended.
  @safe @exclusivity(unchecked) @usableFromInline var child: Inner?
  /// How many publishers have come.
  @safe @exclusivity(unchecked) @usableFromInline var switches = 0
  /// Values that came while another one was being sent.
  @safe @exclusivity(unchecked) @usableFromInline var waiting = _Queue<Child.Output>()
  @safe @exclusivity(unchecked) @usableFromInline var isUpstreamDone = false
  @safe @exclusivity(unchecked) @usableFromInline var failure: Failure?
  @safe @exclusivity(unchecked) @usableFromInline var isClosed = false

  @inlinable @inline(__always)
  init(_ downstream: Downstream) {
    self.downstream = downstream
    super.init { object, count in
      // memory 7
      let me = unsafe unsafeDowncast(object, to: _SwitchSubscription<Child, Downstream>.self)
      guard me.enter(noting: count) else { return }
      me.answer()
      me.leave()
    }
  }

  @usableFromInline
  override var description: String { "SwitchToLatest" }

  /// Takes up what has been asked for, and asks the present child for it.
  @inlinable
  func answer() {
    let before = demand
    takeRequests()
    if demand > before { child?.request(demand == .max ? .max : demand - before) }
  }

  // MARK: Upstream

  @inlinable
  func receive(subscription: any Subscription) {
    owner.enter()
    let isWanted = upstream == nil && !isUpstreamDone && !hasEnded
    if isWanted { upstream = subscription }
    leave()
    if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
  }

  @inlinable @inline(__always)
  func receive(_ publisher: Child) -> Subscribers.Demand {
    owner.enter()
    guard !hasEnded, upstream != nil else {
      leave()
      return .none
    }
    switches &+= 1
    let number = switches
    let old = child
    child = nil
    old?.cancel()
    if Child._immediacy != .never, demand == .max, !isDelivering,
      let end = publisher._forEach({ value in
        if hasEnded { return false }
        _ = send(value)
        return !hasEnded && switches == number && failure == nil
      })
    {
      if case .failure(let error) = end, switches == number { failure = failure ?? error }
      if !waiting.isEmpty { _ = sendWaiting() }
      if failure != nil || isUpstreamDone { settle() }
    } else {
      let inner = Inner(self)
      child = inner
      publisher.receive(subscriber: inner)
    }
    leave()
    return .none
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

  // MARK: Children

  /// Takes a value from a child; returns how many more it may send.
  @inlinable @inline(__always)
  func receive(_ value: Child.Output, from child: Inner) -> Int {
    owner.enter()
    var more = 0
    if self.child === child, !hasEnded {
      precondition(demand > 0, "a publisher sent a value that was not asked for")
      if isDelivering {
        if demand != .max { demand &-= 1 }
        waiting.append(value)
      } else {
        if demand != .max { demand &-= 1 }
        more = send(value)
        if !waiting.isEmpty { more = addDemand(more, sendWaiting()) }
        if failure != nil || isUpstreamDone { settle() }
        if self.child !== child, more > 0 {
          self.child?.request(more)
          more = 0
        }
      }
    }
    leave()
    return more
  }

  /// Sends a value that is off the demand; returns what was asked for with it.
  @inlinable @inline(__always)
  func send(_ value: Child.Output) -> Int {
    isDelivering = true
    let more = withBorrowed(&downstream) { $0.receive(value) }
    demand = addDemand(demand, more)
    isDelivering = false
    return more
  }

  @inlinable
  func sendWaiting() -> Int {
    var more = 0
    while !hasEnded, let value = waiting.popFirst() { more = addDemand(more, send(value)) }
    return more
  }

  @inlinable
  func receive(_ completion: Subscribers.Completion<Failure>, from child: Inner) {
    owner.enter()
    if self.child === child, !hasEnded {
      self.child = nil
      child.end()
      if case .failure(let error) = completion { failure = failure ?? error }
      settle()
    }
    leave()
  }

  // MARK: Ending

  /// Sends the end, if it has come.
  @inlinable
  func settle() {
    guard !isDelivering, failure != nil || (isUpstreamDone && child == nil), end() else { return }
    isDelivering = true
    close()
    downstream?.receive(completion: failure.map { .failure($0) } ?? .finished)
    isDelivering = false
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

  /// Cancels everything once, and lets go of the downstream as soon as nothing is being sent.
  @usableFromInline
  func close() {
    if !isClosed {
      isClosed = true
      isUpstreamDone = true
      let (child, upstream) = (child, upstream)
      self.child = nil
      self.upstream = nil
      child?.cancel()
      upstream?.cancel()
    }
    guard !isDelivering, downstream != nil else { return }
    let old = downstream
    downstream = nil
    waiting.takeAll().letGo()
    withExtendedLifetime(old) {}
  }
}

/// One publisher's subscriber; what changes belongs to whoever is inside the owner word.
@usableFromInline
final class _SwitchChild<Child: Publisher, Downstream: Subscriber>: Subscriber, _SelfDescribing
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  @usableFromInline typealias Input = Child.Output
  @usableFromInline typealias Failure = Child.Failure

  @usableFromInline let parent: _SwitchSubscription<Child, Downstream>
  @safe @exclusivity(unchecked) @usableFromInline var subscription: (any Subscription)?
  @safe @exclusivity(unchecked) @usableFromInline var isDone = false

  @inlinable
  init(_ parent: _SwitchSubscription<Child, Downstream>) { self.parent = parent }

  @usableFromInline
  var description: String { parent.description }

  @usableFromInline
  var _children: [Mirror.Child] { [("parentSubscription", parent.combineIdentifier)] }

  @inlinable
  func receive(subscription: any Subscription) {
    parent.owner.enter()
    let isWanted = self.subscription == nil && !isDone && parent.child === self && !parent.hasEnded
    if isWanted { self.subscription = subscription }
    let demand = parent.demand
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

  @usableFromInline
  func request(_ count: Int) { subscription?.request(Subscribers.Demand(_count: count)) }

  @usableFromInline
  func end() {
    isDone = true
    subscription = nil
  }

  @usableFromInline
  func cancel() {
    let subscription = subscription
    end()
    subscription?.cancel()
  }
}
