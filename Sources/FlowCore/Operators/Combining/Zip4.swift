extension Publisher {
  /// Publishes tuples of 4: the first values of all publishers, the second ones, and so on.
  ///
  /// See `zip(_:)`.
  @inlinable @inline(__always)
  public func zip<P: Publisher, Q: Publisher, R: Publisher>(
    _ publisher1: P,
    _ publisher2: Q,
    _ publisher3: R
  ) -> Publishers.Zip4<Self, P, Q, R>
  where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    Publishers.Zip4(self, publisher1, publisher2, publisher3)
  }

  /// Publishes what `transform` makes of the values that belong together; see `zip(_:)`.
  @inlinable @inline(__always)
  public func zip<P: Publisher, Q: Publisher, R: Publisher, T>(
    _ publisher1: P,
    _ publisher2: Q,
    _ publisher3: R,
    _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
  ) -> Publishers.Map<Publishers.Zip4<Self, P, Q, R>, T>
  where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    Publishers.Map(upstream: zip(publisher1, publisher2, publisher3)) {
      transform($0.0, $0.1, $0.2, $0.3)
    }
  }
}

extension Publishers {
  /// See `zip(_:)`.
  public struct Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
    /// One value of each publisher, in the order of the publishers.
    public typealias Output = (A.Output, B.Output, C.Output, D.Output)
    public typealias Failure = A.Failure

    /// The publisher of the first element of each tuple.
    public let a: A
    /// The publisher of the second element of each tuple.
    public let b: B
    /// The publisher of the third element of each tuple.
    public let c: C
    /// The publisher of the fourth element of each tuple.
    public let d: D

    /// Creates a publisher that joins the values of four publishers which have the same place in
    /// order.
    @inlinable @inline(__always)
    public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }

    /// Subscribes to all publishers in order, then sends `subscriber` its subscription.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let join = _JoinSubscription("Zip", subscriber, usesOnce: true, count: 4) {
        (
          $0.side(0, of: A.Output.self).use(), $0.side(1, of: B.Output.self).use(),
          $0.side(2, of: C.Output.self).use(), $0.side(3, of: D.Output.self).use()
        )
      }
      let a = _JoinSideOf<A.Output, S>(join)
      let b = _JoinSideOf<B.Output, S>(join)
      let c = _JoinSideOf<C.Output, S>(join)
      let d = _JoinSideOf<D.Output, S>(join)
      join.state.sides = [a, b, c, d]
      self.a.receive(subscriber: a)
      self.b.receive(subscriber: b)
      self.c.receive(subscriber: c)
      self.d.receive(subscriber: d)
      join.start()
    }
  }
}

extension Publishers.Zip4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
