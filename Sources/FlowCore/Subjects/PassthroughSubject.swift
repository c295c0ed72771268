/// Passes what is sent to it on to its subscribers, in order of subscription, and keeps nothing.
///
///     send              --1--2--3--|
///     demand 2          --1--2-----|
///
/// A subscriber without demand misses the value. After the completion sends do nothing, and late
/// subscribers are sent the completion. Sends from several threads wait for one another; a send
/// from inside a delivery is delivered at once.
public final class PassthroughSubject<Output, Failure: Error>: Subject {
  @usableFromInline let owner = OwnerLock()
  @exclusivity(unchecked) @usableFromInline var conduits = _ConduitList<Output, Failure>()
  @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?
  @exclusivity(unchecked) @usableFromInline var upstreams: [any Subscription] = []

  /// Makes a subject without subscribers.
  public init() {}

  deinit {
    for upstream in upstreams { upstream.cancel() }
    conduits.free()
  }

  @inlinable
  public func send(_ input: Output) {
    owner.enter()
    conduits.emitting &+= 1
    let count = conduits.count
    var index = 0
    while index < count {
      conduits.base[index]?._withUnsafeGuaranteedRef { _ = $0.send(input) }
      index &+= 1
    }
    conduits.emitting &-= 1
    if conduits.holes > 0 { conduits.compactIfIdle() }
    owner.exit()
  }

  public func send(completion: Subscribers.Completion<Failure>) {
    owner.enter()
    defer { owner.exit() }
    guard self.completion == nil else { return }
    self.completion = completion
    upstreams.removeAll()
    for conduit in conduits.removeAll() { conduit.finish(conduit, completion) }
  }

  /// Takes a subscription, of which everything is asked for once there is a subscriber's demand.
  public func send(subscription: any Subscription) {
    owner.enter()
    defer { owner.exit() }
    upstreams.append(subscription)
    if isDemanded { subscription.request(.unlimited) }
  }

  @exclusivity(unchecked) @usableFromInline var isDemanded = false

  @usableFromInline
  func demandUpstreams() {
    isDemanded = true
    for upstream in upstreams { upstream.request(.unlimited) }
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    let conduit = _ConduitTo("PassthroughSubject", subscriber, self) { object, count in
      let me = unsafeDowncast(object, to: _ConduitTo<S, PassthroughSubject>.self)
      guard let parent = me.parent else { return }
      parent.control(me, count)
      if count < 0 {
        me.downstream = nil
        me.parent = nil
      }
    }
    attach(conduit) { subscriber.receive(subscription: $0) }
  }

  /// Adds demand to a conduit, or takes it out.
  @usableFromInline
  func control(_ conduit: _Conduit<Output, Failure>, _ count: Int) {
    owner.enter()
    defer { owner.exit() }
    if count < 0 {
      conduits.remove(conduit)
    } else if conduit.slot >= 0 {
      conduit.demand = addDemand(conduit.demand, count)
      if !isDemanded { demandUpstreams() }
    }
  }

  @usableFromInline
  func attach(
    _ conduit: _Conduit<Output, Failure>,
    _ subscribed: (any Subscription) -> Void
  ) {
    owner.enter()
    defer { owner.exit() }
    if let completion {
      subscribed(Subscriptions.empty)
      return conduit.finish(conduit, completion)
    }
    conduits.append(conduit)
    subscribed(conduit)
  }
}

// Its state is guarded by the owner word; values cross threads as those who send them mean.
extension PassthroughSubject: @unchecked Sendable {}
