// One value is at hand: what operators make of it is, too, so that they need no subscription.

extension Just {
  /// The value, transformed.
  @inlinable
  public func map<T>(_ transform: (Output) -> T) -> Just<T> {
    Just<T>(transform(output))
  }

  /// The value, transformed, or a failure with the error thrown.
  @inlinable
  public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
    Result<T, any Error>.Publisher(Result { try transform(output) })
  }

  /// The value, from a publisher that may fail by its type.
  @inlinable
  public func mapError<E: Error>(_ transform: (Never) -> E) -> Result<Output, E>.Publisher {
    Result<Output, E>.Publisher(.success(output))
  }

  /// The value, from a publisher that may fail by its type.
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher {
    Result<Output, E>.Publisher(.success(output))
  }

  /// The value, transformed, unless that is `nil`.
  @inlinable
  public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher {
    Optional<T>.Publisher(transform(output))
  }

  /// The result of combining `initialResult` with the value.
  @inlinable
  public func reduce<T>(
    _ initialResult: T,
    _ nextPartialResult: (T, Output) -> T
  ) -> Result<T, Never>.Publisher {
    Result<T, Never>.Publisher(.success(nextPartialResult(initialResult, output)))
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
  public func scan<T>(
    _ initialResult: T,
    _ nextPartialResult: (T, Output) -> T
  ) -> Result<T, Never>.Publisher {
    reduce(initialResult, nextPartialResult)
  }

  /// The result of combining `initialResult` with the value, or a failure with the error thrown.
  @inlinable
  public func tryScan<T>(
    _ initialResult: T,
    _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    tryReduce(initialResult, nextPartialResult)
  }

  /// The value: there is no error to replace.
  @inlinable
  public func replaceError(with output: Output) -> Just<Output> {
    self
  }

  /// The value: it is not empty.
  @inlinable
  public func replaceEmpty(with output: Output) -> Just<Output> {
    self
  }

  /// The value: there is nothing to try again.
  @inlinable
  public func retry(_ times: Int) -> Just<Output> {
    self
  }
}
