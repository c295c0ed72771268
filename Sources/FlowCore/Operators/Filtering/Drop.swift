extension Publisher {
  /// Leaves out the first `count` values.
  ///
  ///     source           --1--2--3--|
  ///     dropFirst(2)     --------3--|
  ///
  /// Requests `count` values more than its subscriber does, at once. A negative `count` traps when
  /// somebody subscribes.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
    Publishers.Drop(upstream: self, count: count)
  }
}

extension Publishers {
  /// See `dropFirst(_:)`.
  public struct Drop<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose first values are left out.
    public let upstream: Upstream
    /// How many values are left out.
    public let count: Int

    /// Creates a publisher that leaves out the first `count` values of `upstream`.
    ///
    /// A negative `count` traps when somebody subscribes.
    @inlinable
    public init(upstream: Upstream, count: Int) {
      self.upstream = upstream
      self.count = count
    }

    /// Sends `subscriber` its subscription, then subscribes to the upstream.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      precondition(count >= 0, "count is \(count), expected 0 or more")
      let inner = Inner(subscriber, count)
      subscriber.receive(subscription: inner)
      upstream.receive(subscriber: inner)
    }
  }
}

extension Publishers.Drop: Equatable where Upstream: Equatable {}

extension Publishers.Drop {
  @usableFromInline
  final class Inner<Downstream: Subscriber>: LinkSubscription<Downstream>, Subscriber
  where Downstream.Input == Output, Downstream.Failure == Failure {
    /// What to ask of an upstream that has yet to come.
    @usableFromInline let early = DemandCounter()
    /// How many values are to be left out; touched only by the upstream's signals (memory 5).
    @safe @exclusivity(unchecked) @usableFromInline var left: Int

    @inlinable @inline(__always)
    init(_ downstream: Downstream, _ count: Int) {
      left = count
      super.init(downstream) { object, count in
        let me = unsafe unsafeDowncast(object, to: Inner.self)  // memory 7
        if count < 0 { me.close() } else { me.ask(count) }
      }
      _ = early.add(count)
    }

    @usableFromInline
    override var description: String { "Drop" }

    @inlinable
    func receive(subscription: any Subscription) {
      guard keep(subscription) else { return subscription.cancel() }
      let demand = early.take()
      if demand > 0 { subscription.request(Subscribers.Demand(_count: demand)) }
    }

    @inlinable @inline(__always)
    func receive(_ input: Output) -> Subscribers.Demand {
      if left > 0 {
        left &-= 1
        return .none
      }
      guard uses.begin() else { return .none }
      defer { endUse() }
      return send(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) { pass(completion) }

    @inlinable
    func ask(_ count: Int) {
      if uses.hasUpstream { return askUpstream(Subscribers.Demand(_count: count)) }
      _ = early.add(count)
      // If it has come meanwhile, one of the two finds this.
      guard uses.begin() else { return }
      let demand = uses.hasUpstream ? early.take() : 0
      if demand > 0 { upstream.request(Subscribers.Demand(_count: demand)) }
      endUse()
    }
  }
}
