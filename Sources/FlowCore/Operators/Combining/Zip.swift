extension Publisher {
  /// Publishes pairs: the first values of both publishers, the second ones, and so on.
  ///
  ///     a           --1--2-----3--|
  ///     b           -----a--b--------|
  ///     a.zip(b)    -----(1a)(2b)----|
  ///
  /// Values wait for their partner. Demand goes to both. It finishes as soon as one publisher has
  /// finished and all its values are used, and cancels the other; a failure ends it at once.
  @inlinable @inline(__always)
  public func zip<P: Publisher>(_ other: P) -> Publishers.Zip<Self, P> where P.Failure == Failure {
    Publishers.Zip(self, other)
  }

  /// Publishes what `transform` makes of the values that belong together; see `zip(_:)`.
  @inlinable @inline(__always)
  public func zip<P: Publisher, T>(_ other: P, _ transform: @escaping (Output, P.Output) -> T)
    -> Publishers.Map<Publishers.Zip<Self, P>, T> where P.Failure == Failure
  {
    Publishers.Map(upstream: zip(other)) { transform($0.0, $0.1) }
  }
}

extension Publishers {
  /// See `zip(_:)`.
  public struct Zip<A: Publisher, B: Publisher>: Publisher
  where A.Failure == B.Failure {
    /// One value of each publisher, in the order of the publishers.
    public typealias Output = (A.Output, B.Output)
    public typealias Failure = A.Failure

    /// The publisher of the first element of each tuple.
    public let a: A
    /// The publisher of the second element of each tuple.
    public let b: B

    /// Creates a publisher that joins the values of `a` and `b` which have the same place in order.
    @inlinable @inline(__always)
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Subscribes to all publishers in order, then sends `subscriber` its subscription.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let join = _JoinSubscription("Zip", subscriber, usesOnce: true, count: 2) {
        ($0.side(0, of: A.Output.self).use(), $0.side(1, of: B.Output.self).use())
      }
      let a = _JoinSideOf<A.Output, S>(join)
      let b = _JoinSideOf<B.Output, S>(join)
      join.state.sides = [a, b]
      self.a.receive(subscriber: a)
      self.b.receive(subscriber: b)
      join.start()
    }
  }
}

extension Publishers.Zip: Equatable where A: Equatable, B: Equatable {}
