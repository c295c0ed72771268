extension Publisher {
  /// Publishes whether all values pass a test.
  ///
  ///     source                      --1--2--5--3--|
  ///     allSatisfy { $0 < 4 }       --------f|
  ///
  /// The first value that does not pass decides, and the upstream is cancelled; the end of the
  /// upstream is `true`. Requests everything at once; the answer waits for demand.
  @inlinable
  public func allSatisfy(
    _ predicate: @escaping (Output) -> Bool
  ) -> Publishers.AllSatisfy<Self> {
    Publishers.AllSatisfy(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// See `allSatisfy(_:)`.
  public struct AllSatisfy<Upstream: Publisher>: Publisher {
    /// One answer: whether all values pass.
    public typealias Output = Bool
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are tested.
    public let upstream: Upstream
    /// Whether a value passes; not called again once it has returned false.
    public let predicate: (Upstream.Output) -> Bool

    /// Creates a publisher of whether `predicate` accepts all values of `upstream`.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(
        reducingThrough: "AllSatisfy",
        subscriber,
        true,
        step: { [predicate] result, input in result = predicate(input) },
        isComplete: { !$0 },
        result: { $0 }
      )
    }
  }
}
