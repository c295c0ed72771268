// The value or the error is at hand: what operators make of it is, too.

extension Result.Publisher {
  /// The value, transformed.
  @inlinable
  public func map<T>(_ transform: (Output) -> T) -> Result<T, Failure>.Publisher {
    Result<T, Failure>.Publisher(result.map(transform))
  }

  /// The value, transformed, or a failure with the error thrown.
  @inlinable
  public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
    Result<T, any Error>.Publisher(Result<T, any Error> { try transform(result.get()) })
  }

  /// The value, or the error, transformed.
  @inlinable
  public func mapError<E: Error>(_ transform: (Failure) -> E) -> Result<Success, E>.Publisher {
    Result<Success, E>.Publisher(result.mapError(transform))
  }

  /// The result of combining `initialResult` with the value.
  @inlinable
  public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T)
    -> Result<T, Failure>.Publisher
  {
    map { nextPartialResult(initialResult, $0) }
  }

  /// The result of combining `initialResult` with the value, or a failure with the error thrown.
  @inlinable
  public func tryReduce<T>(
    _ initialResult: T,
    _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    tryMap { try nextPartialResult(initialResult, $0) }
  }

  /// The result of combining `initialResult` with the value.
  @inlinable
  public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T)
    -> Result<T, Failure>.Publisher
  {
    map { nextPartialResult(initialResult, $0) }
  }

  /// The result of combining `initialResult` with the value, or a failure with the error thrown.
  @inlinable
  public func tryScan<T>(
    _ initialResult: T,
    _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    tryMap { try nextPartialResult(initialResult, $0) }
  }

  /// The value, or `output` if there is an error.
  @inlinable
  public func replaceError(with output: Output) -> Result<Success, Never>.Publisher {
    switch result {
    case .success(let value): Result<Success, Never>.Publisher(.success(value))
    case .failure: Result<Success, Never>.Publisher(.success(output))
    }
  }

  /// The same: it is not empty.
  @inlinable
  public func replaceEmpty(with output: Output) -> Result<Success, Failure>.Publisher {
    self
  }

  /// The same: another try would come to the same.
  @inlinable
  public func retry(_ times: Int) -> Result<Success, Failure>.Publisher {
    self
  }
}

extension Result.Publisher where Failure == Never {
  /// The value, from a publisher that may fail by its type.
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Success, E>.Publisher {
    switch result {
    case .success(let value): Result<Success, E>.Publisher(.success(value))
    }
  }
}
