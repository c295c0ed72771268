extension Publisher {
  /// Publishes the result of combining all values; an error thrown is the failure.
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
    public typealias Failure = any Error

    public let upstream: Upstream
    public let initial: Output
    public let nextPartialResult: (Output, Upstream.Output) throws -> Output

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
    public func receive<S: Subscriber>(subscriber: S)
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
