extension Publisher {
  /// Publishes the newest values of both publishers, whenever either publishes.
  ///
  ///     a                     --1-----2------|
  ///     b                     -----a------b---|
  ///     a.combineLatest(b)    -----(1a)(2a)(2b)|
  ///
  /// Nothing comes before both have published. Demand goes to both. A value that arrives without
  /// demand is sent with the next request, unless a newer one replaces it. It finishes when both
  /// have and their newest values are sent; a failure ends it at once.
  @inlinable @inline(__always)
  public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P>
  where P.Failure == Failure {
    Publishers.CombineLatest(self, other)
  }

  /// Publishes what `transform` makes of the newest values; see `combineLatest(_:)`.
  @inlinable @inline(__always)
  public func combineLatest<P: Publisher, T>(
    _ other: P,
    _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> where P.Failure == Failure {
    Publishers.Map(upstream: combineLatest(other)) { transform($0.0, $0.1) }
  }
}

extension Publishers {
  /// See `combineLatest(_:)`.
  public struct CombineLatest<A: Publisher, B: Publisher>: Publisher
  where A.Failure == B.Failure {
    /// The newest value of each publisher, in the order of the publishers.
    public typealias Output = (A.Output, B.Output)
    public typealias Failure = A.Failure

    /// The publisher of the first element of each tuple.
    public let a: A
    /// The publisher of the second element of each tuple.
    public let b: B

    /// Creates a publisher of the newest values of `a` and `b`, whenever one of them publishes.
    @inlinable @inline(__always)
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Subscribes to all publishers in order, then sends `subscriber` its subscription.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let join = _JoinSubscription("CombineLatest", subscriber, usesOnce: false, count: 2) {
        ($0.side(0, of: A.Output.self).latest(), $0.side(1, of: B.Output.self).latest())
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

extension Publishers.CombineLatest: Equatable where A: Equatable, B: Equatable {}
