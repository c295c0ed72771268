extension Publisher {
  /// Publishes the result of combining all values; an error thrown becomes the failure.
  ///
  /// For demand and the end see `reduce(_:_:)`. The error also cancels the upstream.
  @inlinable
  public func tryReduce<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Output) throws -> T
  ) -> Publishers.TryReduce<Self, T> {
    Publishers.TryReduce(
      upstream: self,
      initial: initialResult,
      nextPartialResult: nextPartialResult
    )
  }
}

extension Publishers {
  /// See `tryReduce(_:_:)`.
  public struct TryReduce<Upstream: Publisher, Output>: Publisher {
    /// The upstream's failure, or what `nextPartialResult` throws.
    public typealias Failure = any Error

    /// The publisher whose values are combined.
    public let upstream: Upstream
    /// The result if there is no value, and what the first value is combined with.
    public let initial: Output
    /// Combines the result so far with a value; not called again once it has thrown.
    public let nextPartialResult: (Output, Upstream.Output) throws -> Output

    /// Creates a publisher of the combination of all values of `upstream`.
    ///
    /// If `nextPartialResult` throws, the upstream is cancelled and the error is published.
    @inlinable
    public init(
      upstream: Upstream,
      initial: Output,
      nextPartialResult: @escaping (Output, Upstream.Output) throws -> Output
    ) {
      self.upstream = upstream
      self.initial = initial
      self.nextPartialResult = nextPartialResult
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == any Error {
      let next = nextPartialResult
      let inner = ReducingSubscriber<Upstream.Output, Upstream.Failure, Output, S>(
        .reducing("TryReduce"),
        subscriber,
        initial,
        mapFailure: { $0 },
        step: { result, input in
          do {
            result = try next(result, input)
            return nil
          } catch {
            return error
          }
        },
        result: { $0 }
      )
      upstream.receive(subscriber: inner)
    }
  }
}
