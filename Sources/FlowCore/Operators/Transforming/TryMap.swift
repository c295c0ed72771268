extension Publisher {
  /// Transforms each value; an error thrown becomes the failure, and the upstream is cancelled.
  @inlinable
  public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Self, T> {
    Publishers.TryMap(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// See `tryMap(_:)`.
  public struct TryMap<Upstream: Publisher, Output>: Publisher {
    /// The upstream's failure, or what `transform` throws.
    public typealias Failure = any Error

    /// The publisher whose values are transformed.
    public let upstream: Upstream
    /// Makes what is published of a value; called once for each, on the thread that delivers it.
    public let transform: (Upstream.Output) throws -> Output

    /// Creates a publisher of what `transform` makes of the values of `upstream`.
    ///
    /// If `transform` throws, the upstream is cancelled and the error is published.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) throws -> Output) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let transform = transform
      upstream.receive(throwingThrough: StageName("TryMap", earlyValue: .passed), subscriber, ()) {
        _,
        input in
        .emit(try transform(input))
      }
    }
  }
}

extension Publishers.TryMap {
  /// Joins two transforms in a row into one.
  @inlinable
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.TryMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryMap<Upstream, T>(upstream: upstream) { transform(try first($0)) }
  }

  /// Joins two transforms in a row into one.
  @inlinable
  public func tryMap<T>(
    _ transform: @escaping (Output) throws -> T
  ) -> Publishers.TryMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(first($0)) }
  }
}
