/// Keeps the newest value, and sends it to a new subscriber first.
///
///     CurrentValueSubject(0), send     --1--2--3--|
///     demand 1, then 1 more after 2    0------2---|
///
/// A subscriber that had no demand when values came gets the newest of them at its next request.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
  private let owner = OwnerLock()
  @exclusivity(unchecked) private var conduits = _ConduitList<Output, Failure>()
  @exclusivity(unchecked) private var completion: Subscribers.Completion<Failure>?
  @exclusivity(unchecked) private var upstreams: [any Subscription] = []
  @exclusivity(unchecked) private var current: Output

  /// Makes a subject whose value is `value`.
  public init(_ value: Output) { current = value }

  deinit {
    for upstream in upstreams { upstream.cancel() }
    conduits.free()
  }

  /// The newest value; setting it is sending it.
  public var value: Output {
    get {
      owner.enter()
      defer { owner.exit() }
      return current
    }
    set { send(newValue) }
  }

  public func send(_ input: Output) {
    owner.enter()
    defer { owner.exit() }
    guard completion == nil else { return }
    current = input
    conduits.emitting += 1
    let count = conduits.count
    for index in 0..<count {
      conduits.base[index]?._withUnsafeGuaranteedRef { $0.isUpToDate = false }
    }
    for index in 0..<count {
      conduits.base[index]?._withUnsafeGuaranteedRef { conduit in
        if conduit.demand > 0 { conduit.isUpToDate = true }
        _ = conduit.send(input)
      }
    }
    conduits.emitting -= 1
    conduits.compactIfIdle()
  }

  public func send(completion: Subscribers.Completion<Failure>) {
    owner.enter()
    defer { owner.exit() }
    guard self.completion == nil else { return }
    self.completion = completion
    upstreams.removeAll()
    for conduit in conduits.removeAll() { conduit.finish(conduit, completion) }
  }

  /// Takes a subscription, of which everything is asked for.
  public func send(subscription: any Subscription) {
    owner.enter()
    defer { owner.exit() }
    upstreams.append(subscription)
    subscription.request(.unlimited)
  }

  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    owner.enter()
    defer { owner.exit() }
    if let completion {
      subscriber.receive(subscription: Subscriptions.empty)
      return subscriber.receive(completion: completion)
    }
    let conduit = _ConduitTo("CurrentValueSubject", subscriber, self) { object, count in
      let me = unsafeDowncast(object, to: _ConduitTo<S, CurrentValueSubject>.self)
      guard let parent = me.parent else { return }
      parent.control(me, count)
      if count < 0 {
        me.downstream = nil
        me.parent = nil
      }
    }
    conduits.append(conduit)
    subscriber.receive(subscription: conduit)
  }

  private func control(_ conduit: _Conduit<Output, Failure>, _ count: Int) {
    owner.enter()
    defer { owner.exit() }
    if count < 0 { return conduits.remove(conduit) }
    guard conduit.slot >= 0 else { return }
    conduit.demand = addDemand(conduit.demand, count)
    if !conduit.isUpToDate {
      conduit.isUpToDate = true
      _ = conduit.send(current)
    }
  }
}

// Its state is guarded by the owner word; values cross threads as those who send them mean.
extension CurrentValueSubject: @unchecked Sendable {}
