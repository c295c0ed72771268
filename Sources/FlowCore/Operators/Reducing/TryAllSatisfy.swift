extension Publisher {
  /// Publishes whether all values pass a test; an error thrown becomes the failure.
  ///
  /// For demand and the end see `allSatisfy(_:)`. The error also cancels the upstream.
  @inlinable
  public func tryAllSatisfy(
    _ predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryAllSatisfy<Self> {
    Publishers.TryAllSatisfy(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// See `tryAllSatisfy(_:)`.
  public struct TryAllSatisfy<Upstream: Publisher>: Publisher {
    /// One answer: whether all values pass.
    public typealias Output = Bool
    /// The upstream's failure, or what `predicate` throws.
    public typealias Failure = any Error

    /// The publisher whose values are tested.
    public let upstream: Upstream
    /// Whether a value passes; not called again once it has returned false or thrown.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Creates a publisher of whether `predicate` accepts all values of `upstream`.
    ///
    /// If `predicate` throws, the upstream is cancelled and the error is published.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(
        throwingReducingThrough: "TryAllSatisfy",
        subscriber,
        true,
        step: { [predicate] result, input in result = try predicate(input) },
        isComplete: { !$0 },
        result: { $0 }
      )
    }
  }
}
