extension Publisher {
  /// Publishes the number of values when the upstream finishes.
  ///
  ///     source     --1--2--3--|
  ///     count()    -----------3|
  ///
  /// Requests everything at once; the result waits for demand.
  @inlinable
  public func count() -> Publishers.Count<Self> { Publishers.Count(upstream: self) }
}

extension Publishers {
  /// See `count()`.
  public struct Count<Upstream: Publisher>: Publisher {
    /// One number: how many values there were.
    public typealias Output = Int
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are counted.
    public let upstream: Upstream

    /// Creates a publisher of the number of values of `upstream`.
    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Int, S.Failure == Failure {
      let inner = ReducingSubscriber<Upstream.Output, Failure, Int, S>(
        .reducing("Count"),
        subscriber,
        0,
        mapFailure: { $0 },
        step: { count, _ in
          count += 1
          return nil
        },
        result: { $0 }
      )
      upstream.receive(subscriber: inner)
    }
  }
}

extension Publishers.Count: Equatable where Upstream: Equatable {}
