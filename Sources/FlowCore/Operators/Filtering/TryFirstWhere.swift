extension Publisher {
  /// Republishes the first value that passes a test; an error thrown becomes the failure.
  ///
  /// For demand and the end see `first(where:)`. The error also cancels the upstream.
  @inlinable
  public func tryFirst(
    where predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryFirstWhere<Self> {
    Publishers.TryFirstWhere(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// See `tryFirst(where:)`.
  public struct TryFirstWhere<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    /// The upstream's failure, or what `predicate` throws.
    public typealias Failure = any Error

    /// The publisher whose values are tested.
    public let upstream: Upstream
    /// Whether a value is the one; not called again once it has returned true or thrown.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Creates a publisher of the first value of `upstream` that `predicate` accepts.
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
      let first: Output? = nil
      upstream.receive(
        throwingReducingThrough: "TryFirstWhere",
        subscriber,
        first,
        step: { [predicate] first, input in if try predicate(input) { first = input } },
        isComplete: { $0 != nil },
        result: { $0 }
      )
    }
  }
}
