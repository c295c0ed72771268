extension Publisher {
  /// Republishes the last value that passes a test; an error thrown becomes the failure.
  ///
  /// For demand and the end see `last(where:)`. The error also cancels the upstream.
  @inlinable
  public func tryLast(
    where predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryLastWhere<Self> {
    Publishers.TryLastWhere(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// See `tryLast(where:)`.
  public struct TryLastWhere<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    /// The upstream's failure, or what `predicate` throws.
    public typealias Failure = any Error

    /// The publisher whose values are tested.
    public let upstream: Upstream
    /// Whether a value may be the one; called once for each, on the thread that delivers it.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Creates a publisher of the last value of `upstream` that `predicate` accepts.
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
      let last: Output? = nil
      upstream.receive(
        throwingReducingThrough: "TryLastWhere",
        subscriber,
        last,
        step: { [predicate] last, input in if try predicate(input) { last = input } },
        result: { $0 }
      )
    }
  }
}
