extension Publisher {
  /// Publishes tuples of 3: the first values of all publishers, the second ones, and so on.
  ///
  /// See `zip(_:)`.
  @inlinable @inline(__always)
  public func zip<P: Publisher, Q: Publisher>(_ publisher1: P, _ publisher2: Q)
    -> Publishers.Zip3<Self, P, Q> where P.Failure == Failure, Q.Failure == Failure
  {
    Publishers.Zip3(self, publisher1, publisher2)
  }

  /// Publishes what `transform` makes of the values that belong together; see `zip(_:)`.
  @inlinable @inline(__always)
  public func zip<P: Publisher, Q: Publisher, T>(
    _ publisher1: P,
    _ publisher2: Q,
    _ transform: @escaping (Output, P.Output, Q.Output) -> T
  ) -> Publishers.Map<Publishers.Zip3<Self, P, Q>, T>
  where P.Failure == Failure, Q.Failure == Failure {
    Publishers.Map(upstream: zip(publisher1, publisher2)) { transform($0.0, $0.1, $0.2) }
  }
}

extension Publishers {
  /// See `zip(_:)`.
  public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where A.Failure == B.Failure, B.Failure == C.Failure {
    /// One value of each publisher, in the order of the publishers.
    public typealias Output = (A.Output, B.Output, C.Output)
    public typealias Failure = A.Failure

    /// The publisher of the first element of each tuple.
    public let a: A
    /// The publisher of the second element of each tuple.
    public let b: B
    /// The publisher of the third element of each tuple.
    public let c: C

    /// Creates a publisher that joins the values of three publishers which have the same place in
    /// order.
    @inlinable @inline(__always)
    public init(_ a: A, _ b: B, _ c: C) {
      self.a = a
      self.b = b
      self.c = c
    }

    /// Subscribes to all publishers in order, then sends `subscriber` its subscription.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let join = _JoinSubscription("Zip", subscriber, usesOnce: true, count: 3) {
        (
          $0.side(0, of: A.Output.self).use(), $0.side(1, of: B.Output.self).use(),
          $0.side(2, of: C.Output.self).use()
        )
      }
      let a = _JoinSideOf<A.Output, S>(join)
      let b = _JoinSideOf<B.Output, S>(join)
      let c = _JoinSideOf<C.Output, S>(join)
      join.state.sides = [a, b, c]
      self.a.receive(subscriber: a)
      self.b.receive(subscriber: b)
      self.c.receive(subscriber: c)
      join.start()
    }
  }
}

extension Publishers.Zip3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
