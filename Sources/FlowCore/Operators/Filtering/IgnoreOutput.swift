extension Publisher {
  /// Leaves out all values, and republishes only the end.
  ///
  ///     source            --1--2--3--|
  ///     ignoreOutput()    -----------|
  ///
  /// Everything is asked for at once; the end needs no demand.
  public func ignoreOutput() -> Publishers.IgnoreOutput<Self> {
    Publishers.IgnoreOutput(upstream: self)
  }
}

extension Publishers {
  /// See `ignoreOutput()`.
  public struct IgnoreOutput<Upstream: Publisher>: Publisher {
    public typealias Output = Never
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream

    public init(upstream: Upstream) { self.upstream = upstream }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Never, S.Failure == Failure {
      let inner = ReducingSubscriber<Upstream.Output, Failure, Void, S>(
        "IgnoreOutput",
        subscriber,
        (),
        mapFailure: { $0 },
        step: { _, _ in nil },
        result: { nil }
      )
      upstream.receive(subscriber: inner)
    }
  }
}

extension Publishers.IgnoreOutput: Equatable where Upstream: Equatable {}
