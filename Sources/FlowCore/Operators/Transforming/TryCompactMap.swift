extension Publisher {
  /// Transforms each value and leaves out what becomes `nil`; an error thrown becomes the failure.
  ///
  /// For demand and the end see `compactMap(_:)`. The error also cancels the upstream.
  @inlinable
  public func tryCompactMap<T>(
    _ transform: @escaping (Output) throws -> T?
  ) -> Publishers.TryCompactMap<Self, T> {
    Publishers.TryCompactMap(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// See `tryCompactMap(_:)`.
  public struct TryCompactMap<Upstream: Publisher, Output>: Publisher {
    /// The upstream's failure, or what `transform` throws.
    public typealias Failure = any Error

    /// The publisher whose values are transformed.
    public let upstream: Upstream
    /// Makes what is published of a value, or `nil` to leave it out; called once for each.
    public let transform: (Upstream.Output) throws -> Output?

    /// Creates a publisher of what `transform` makes of the values of `upstream`, without `nil`.
    ///
    /// If `transform` throws, the upstream is cancelled and the error is published.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) throws -> Output?) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let transform = transform
      upstream.receive(
        throwingThrough: .filtering("TryCompactMap"),
        subscriber,
        ()
      ) { _, input in
        try transform(input).map { .emit($0) } ?? .skip
      }
    }
  }
}

extension Publishers.TryCompactMap {
  /// Joins two transforms in a row into one.
  @inlinable
  public func compactMap<T>(
    _ transform: @escaping (Output) throws -> T?
  ) -> Publishers.TryCompactMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryCompactMap<Upstream, T>(upstream: upstream) {
      try first($0).flatMap(transform)
    }
  }
}
