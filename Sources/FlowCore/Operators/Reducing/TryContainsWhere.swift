extension Publisher {
  /// Publishes whether a value passes a test; an error thrown becomes the failure.
  ///
  /// For demand and the end see `contains(where:)`. The error also cancels the upstream.
  @inlinable
  public func tryContains(
    where predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryContainsWhere<Self> {
    Publishers.TryContainsWhere(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// See `tryContains(where:)`.
  public struct TryContainsWhere<Upstream: Publisher>: Publisher {
    /// One answer: whether a value passes.
    public typealias Output = Bool
    /// The upstream's failure, or what `predicate` throws.
    public typealias Failure = any Error

    /// The publisher whose values are tested.
    public let upstream: Upstream
    /// Whether a value passes; not called again once it has returned true or thrown.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Creates a publisher of whether `predicate` accepts a value of `upstream`.
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
        throwingReducingThrough: "TryContainsWhere",
        subscriber,
        false,
        step: { [predicate] result, input in result = try predicate(input) },
        isComplete: { $0 },
        result: { $0 }
      )
    }
  }
}
