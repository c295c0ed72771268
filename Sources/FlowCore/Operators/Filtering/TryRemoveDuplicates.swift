extension Publisher {
  /// Leaves out a value for which `predicate` holds with the last one sent on; an error thrown
  /// becomes the failure.
  ///
  /// For demand and the end see `removeDuplicates(by:)`. The error also cancels the upstream.
  @inlinable
  public func tryRemoveDuplicates(
    by predicate: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryRemoveDuplicates<Self> {
    Publishers.TryRemoveDuplicates(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// See `tryRemoveDuplicates(by:)`.
  public struct TryRemoveDuplicates<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    /// The upstream's failure, or what `predicate` throws.
    public typealias Failure = any Error

    /// The publisher whose values are compared.
    public let upstream: Upstream
    /// Whether the second value, the new one, repeats the first, the last one republished.
    public let predicate: (Upstream.Output, Upstream.Output) throws -> Bool

    /// Creates a publisher that leaves out the values of `upstream` that repeat the one before.
    ///
    /// If `predicate` throws, the upstream is cancelled and the error is published.
    @inlinable
    public init(
      upstream: Upstream,
      predicate: @escaping (Upstream.Output, Upstream.Output) throws -> Bool
    ) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let last: Output? = nil
      upstream.receive(
        throwingThrough: .filtering("TryRemoveDuplicates", showing: [.last]),
        subscriber,
        last
      ) { [predicate] last, input in
        if let last, try predicate(last, input) { return .skip }
        last = input
        return .emit(input)
      }
    }
  }
}
