extension Publisher {
  /// Publishes each value together with the newest one of another publisher.
  ///
  ///     source               --1-----2--3--|
  ///     other                ----a--------b---
  ///     withLatest(from:)    --------(2a)(3a)|
  ///
  /// Values that come before the other publisher's first are dropped, and one more is requested for
  /// each. The other publisher is asked for everything; only its newest value is kept. It finishes
  /// with this publisher, or when the other one finishes without a value; a failure of either ends
  /// it.
  @inlinable
  @_disfavoredOverload
  public func withLatest<P: Publisher>(from other: P) -> Publishers.WithLatest<Self, P>
  where P.Failure == Failure {
    Publishers.WithLatest(upstream: self, other: other)
  }

  /// Publishes what `transform` makes of each value and of the newest one of another publisher.
  @inlinable
  @_disfavoredOverload
  public func withLatest<P: Publisher, T>(
    from other: P,
    _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<Publishers.WithLatest<Self, P>, T> where P.Failure == Failure {
    Publishers.Map(upstream: withLatest(from: other)) { transform($0.0, $0.1) }
  }
}

extension Publishers {
  /// See `withLatest(from:)`.
  public struct WithLatest<Upstream: Publisher, Other: Publisher>: Publisher
  where Upstream.Failure == Other.Failure {
    /// A value of the upstream, and the newest one of the other publisher.
    public typealias Output = (Upstream.Output, Other.Output)
    public typealias Failure = Upstream.Failure

    /// The publisher whose values make it publish.
    public let upstream: Upstream
    /// The publisher whose newest value is added.
    public let other: Other

    /// Creates a publisher of the values of `upstream`, each with the newest one of `other`.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    /// Sends `subscriber` its subscription, then subscribes to `other` and to the upstream.
    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let inner = SidedSubscription<Upstream.Output, Other.Output, Failure, S>(
        subscriber,
        SideRules(
          name: "WithLatest",
          sideDemand: .unlimited,
          startsAtOnce: true,
          endsWithSide: false,
          step: { input, newest in newest.map { .emit((input, $0)) } ?? .skip(.max(1)) },
          sideEnd: { completion, newest in
            if case .finished = completion, newest != nil { return nil }
            return completion
          }
        )
      )
      inner.start(upstream, side: other)
    }
  }
}

extension Publishers.WithLatest: Equatable where Upstream: Equatable, Other: Equatable {}
