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
  final class Inner<Downstream: Subscriber>: Subscriber, Subscription, _SelfDescribing
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline let lock = Lock()
    // memory 5: for whoever is inside.
    @safe @exclusivity(unchecked) @usableFromInline var state: State

    @usableFromInline
    struct State {
      @usableFromInline var upstream: (any Subscription)?
      /// What to ask of an upstream that has yet to come.
      @usableFromInline var asked: Subscribers.Demand
      /// How many values are to be left out; touched only by the upstream's signals.
      @usableFromInline var left: Int
      @usableFromInline var downstream: Downstream?

      @inlinable @inline(__always)
      init(_ downstream: Downstream, _ count: Int) {
        self.downstream = downstream
        asked = .max(count)
        left = count
      }
    }

    @inlinable
    init(_ downstream: Downstream, _ count: Int) {
      state = State(downstream, count)
    }

    @inlinable
    var description: String { "Drop" }

    @inlinable
    func receive(subscription: any Subscription) {
      let demand: Subscribers.Demand? = lock.withLock {
        guard state.upstream == nil, state.downstream != nil else { return nil }
        state.upstream = subscription
        return state.asked
      }
      guard let demand else { return subscription.cancel() }
      if demand > 0 { subscription.request(demand) }
    }

    @inlinable
    func receive(_ input: Output) -> Subscribers.Demand {
      if state.left > 0 {
        state.left = state.left &- 1  // no `-=`, which would be a change of all to the sanitizer
        return .none
      }
      return lock.withLock { state.downstream }?.receive(input) ?? .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      end().downstream?.receive(completion: completion)
    }

    @inlinable
    func request(_ demand: Subscribers.Demand) {
      precondition(demand > 0, "demand is 0, expected 1 or more")
      let upstream = lock.withLock {
        if state.upstream == nil { state.asked += demand }
        return state.upstream
      }
      upstream?.request(demand)
    }

    @inlinable
    func cancel() { end().upstream?.cancel() }

    @inlinable
    func end() -> (upstream: (any Subscription)?, downstream: Downstream?) {
      lock.withLock {
        defer {
          state.downstream = nil
          state.upstream = nil
        }
        return (state.upstream, state.downstream)
      }
    }
  }
}
