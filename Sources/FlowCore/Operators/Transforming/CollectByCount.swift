extension Publisher {
  /// Publishes values in arrays of `count`, the rest in a last one.
  ///
  ///     source         --1--2--3--|
  ///     collect(2)     -----[1,2]--[3]|
  ///
  /// Requests `count` values for each array that is requested; a failure discards what has been
  /// collected.
  @inlinable
  public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
    Publishers.CollectByCount(upstream: self, count: count)
  }
}

extension Publishers {
  /// See `collect(_:)`.
  public struct CollectByCount<Upstream: Publisher>: Publisher {
    /// Arrays of `count` values; only the last may be shorter, and none is empty.
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are collected.
    public let upstream: Upstream
    /// How many values make an array.
    public let count: Int

    /// Creates a publisher of arrays of `count` values of `upstream`.
    ///
    /// A `count` below 1 traps when somebody subscribes.
    @inlinable
    public init(upstream: Upstream, count: Int) {
      self.upstream = upstream
      self.count = count
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      precondition(count > 0, "count is \(count), expected 1 or more")
      upstream.receive(subscriber: Inner(subscriber, count))
    }
  }
}

extension Publishers.CollectByCount: Equatable where Upstream: Equatable {}

extension Publishers.CollectByCount {
  @usableFromInline
  final class Inner<Downstream: Subscriber>: Subscriber, Subscription, _SelfDescribing
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline let count: Int
    @usableFromInline let lock = Lock()
    // memory 5: for whoever is inside.
    @safe @exclusivity(unchecked) @usableFromInline var state: State

    @usableFromInline
    struct State {
      @usableFromInline var upstream: (any Subscription)?
      @usableFromInline var buffer: Output = []
      @usableFromInline var downstream: Downstream?

      @inlinable @inline(__always)
      init(_ downstream: Downstream) { self.downstream = downstream }
    }

    @inlinable
    init(_ downstream: Downstream, _ count: Int) {
      state = State(downstream)
      self.count = count
    }

    @inlinable
    var description: String { "CollectByCount" }

    @inlinable
    var _children: [Mirror.Child] {
      let (downstream, upstream, buffer) = lock.withLock {
        (state.downstream, state.upstream, state.buffer)
      }
      return [
        ("downstream", downstream.map { $0 as Any } ?? downstream as Any),
        ("upstreamSubscription", upstream as Any), ("buffer", buffer), ("count", count),
      ]
    }

    @inlinable
    func receive(subscription: any Subscription) {
      let downstream: Downstream? = lock.withLock {
        guard state.upstream == nil, let downstream = state.downstream else { return nil }
        state.upstream = subscription
        return downstream
      }
      guard let downstream else { return subscription.cancel() }
      downstream.receive(subscription: self)
    }

    @inlinable
    func receive(_ input: Upstream.Output) -> Subscribers.Demand {
      let full: (Downstream, Output)? = lock.withLock {
        guard let downstream = state.downstream, state.upstream != nil else { return nil }
        if state.buffer.isEmpty { state.buffer.reserveCapacity(Swift.min(count, 256)) }
        state.buffer.append(input)
        guard state.buffer.count == count else { return nil }
        defer { state.buffer = [] }
        return (downstream, state.buffer)
      }
      guard let (downstream, values) = full else { return .none }
      defer { values.letGo() }
      return downstream.receive(values) * count
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      let rest: Output = lock.withLock {
        defer { state.buffer = [] }
        if case .finished = completion { return state.buffer }
        return []
      }
      // There is demand for the rest: it was asked for as part of a whole array.
      if !rest.isEmpty, let downstream = lock.withLock({ state.downstream }) {
        _ = downstream.receive(rest)
      }
      end().downstream?.receive(completion: completion)
    }

    @inlinable
    func request(_ demand: Subscribers.Demand) {
      precondition(demand > 0, "demand is 0, expected 1 or more")
      lock.withLock { state.upstream }?.request(demand * count)
    }

    @inlinable
    func cancel() {
      // Nobody has been given it to cancel before there is an upstream.
      guard lock.withLock({ state.upstream != nil }) else { return }
      end().upstream?.cancel()
    }

    @inlinable
    func end() -> (upstream: (any Subscription)?, downstream: Downstream?) {
      let (old, buffer) = lock.withLock {
        defer {
          state.upstream = nil
          state.downstream = nil
          state.buffer = []
        }
        return ((state.upstream, state.downstream), state.buffer)
      }
      buffer.letGo()
      return old
    }
  }
}
