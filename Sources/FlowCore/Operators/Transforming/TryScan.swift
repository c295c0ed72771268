extension Publisher {
  /// Publishes the running result of combining values; an error thrown becomes the failure.
  ///
  /// For demand and the end see `scan(_:_:)`. The error also cancels the upstream.
  @inlinable
  public func tryScan<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Output) throws -> T
  ) -> Publishers.TryScan<Self, T> {
    Publishers.TryScan(
      upstream: self,
      initialResult: initialResult,
      nextPartialResult: nextPartialResult
    )
  }
}

extension Publishers {
  /// See `tryScan(_:_:)`.
  public struct TryScan<Upstream: Publisher, Output>: Publisher {
    /// The upstream's failure, or what `nextPartialResult` throws.
    public typealias Failure = any Error

    /// The publisher whose values are combined.
    public let upstream: Upstream
    /// What the first value is combined with; it is not published itself.
    public let initialResult: Output
    /// Combines the result so far with a value; not called again once it has thrown.
    public let nextPartialResult: (Output, Upstream.Output) throws -> Output

    /// Creates a publisher of the combination of the values of `upstream` so far, one for each
    /// value.
    ///
    /// If `nextPartialResult` throws, the upstream is cancelled and the error is published.
    @inlinable
    public init(
      upstream: Upstream,
      initialResult: Output,
      nextPartialResult: @escaping (Output, Upstream.Output) throws -> Output
    ) {
      self.upstream = upstream
      self.initialResult = initialResult
      self.nextPartialResult = nextPartialResult
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let next = nextPartialResult
      let name = StageName(
        "TryScan",
        showing: [.downstream, .status, .result],
        earlyValue: .passed
      )
      upstream.receive(throwingThrough: name, subscriber, initialResult) { result, input in
        result = try next(result, input)
        return .emit(result)
      }
    }
  }
}
