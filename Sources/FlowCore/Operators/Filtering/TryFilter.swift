extension Publisher {
  /// Republishes the values that pass a test; an error thrown becomes the failure.
  ///
  /// For demand and the end see `filter(_:)`. The error also cancels the upstream.
  @inlinable
  public func tryFilter(
    _ isIncluded: @escaping (Output) throws -> Bool
  ) -> Publishers.TryFilter<Self> {
    Publishers.TryFilter(upstream: self, isIncluded: isIncluded)
  }
}

extension Publishers {
  /// See `tryFilter(_:)`.
  public struct TryFilter<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    /// The upstream's failure, or what `isIncluded` throws.
    public typealias Failure = any Error

    /// The publisher whose values are tested.
    public let upstream: Upstream
    /// Whether a value is republished; called once for each, on the thread that delivers it.
    public let isIncluded: (Upstream.Output) throws -> Bool

    /// Creates a publisher of those values of `upstream` that `isIncluded` accepts.
    ///
    /// If `isIncluded` throws, the upstream is cancelled and the error is published.
    @inlinable
    public init(upstream: Upstream, isIncluded: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let isIncluded = isIncluded
      upstream.receive(
        throwingThrough: .filtering("TryFilter"),
        subscriber,
        ()
      ) { _, input in
        try isIncluded(input) ? .emit(input) : .skip
      }
    }
  }
}

extension Publishers.TryFilter {
  /// Joins two tests in a row into one.
  @inlinable
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.TryFilter<Upstream> {
    let first = self.isIncluded
    return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
  }

  /// Joins two tests in a row into one.
  @inlinable
  public func tryFilter(
    _ isIncluded: @escaping (Output) throws -> Bool
  ) -> Publishers.TryFilter<Upstream> {
    let first = self.isIncluded
    return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
  }
}
