extension Publisher {
  /// Publishes the newest values of 4 publishers, whenever one of them publishes.
  ///
  /// See `combineLatest(_:)`.
  @inlinable @inline(__always)
  public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
    _ publisher1: P,
    _ publisher2: Q,
    _ publisher3: R
  ) -> Publishers.CombineLatest4<Self, P, Q, R>
  where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    Publishers.CombineLatest4(self, publisher1, publisher2, publisher3)
  }

  /// Publishes what `transform` makes of the newest values; see `combineLatest(_:)`.
  @inlinable @inline(__always)
  public func combineLatest<P: Publisher, Q: Publisher, R: Publisher, T>(
    _ publisher1: P,
    _ publisher2: Q,
    _ publisher3: R,
    _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest4<Self, P, Q, R>, T>
  where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    Publishers.Map(upstream: combineLatest(publisher1, publisher2, publisher3)) {
      transform($0.0, $0.1, $0.2, $0.3)
    }
  }
}

extension Publishers {
  /// See `combineLatest(_:)`.
  public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
    /// The newest value of each publisher, in the order of the publishers.
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

    /// Creates a publisher of the newest values of four publishers, whenever one of them publishes.
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
      let join = _JoinSubscription("CombineLatest", subscriber, usesOnce: false, count: 4) {
        (
          $0.side(0, of: A.Output.self).latest(), $0.side(1, of: B.Output.self).latest(),
          $0.side(2, of: C.Output.self).latest(), $0.side(3, of: D.Output.self).latest()
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

extension Publishers.CombineLatest4: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
