// The elements are at hand: what operators make of them is, too, once for all subscribers.

extension Publishers.Sequence {
  /// Whether all elements pass a test.
  @inlinable
  public func allSatisfy(_ predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
    Result<Bool, Failure>.Publisher(.success(sequence.allSatisfy(predicate)))
  }

  /// Whether all elements pass a test, or a failure with the error thrown.
  @inlinable
  public func tryAllSatisfy(_ predicate: (Output) throws -> Bool)
    -> Result<Bool, any Error>.Publisher
  {
    Result<Bool, any Error>.Publisher(Result { try sequence.allSatisfy(predicate) })
  }

  /// Whether an element passes a test.
  @inlinable
  public func contains(where predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
    Result<Bool, Failure>.Publisher(.success(sequence.contains(where: predicate)))
  }

  /// Whether an element passes a test, or a failure with the error thrown.
  @inlinable
  public func tryContains(where predicate: (Output) throws -> Bool)
    -> Result<Bool, any Error>.Publisher
  {
    Result<Bool, any Error>.Publisher(Result { try sequence.contains(where: predicate) })
  }

  /// The elements in an array.
  @inlinable
  public func collect() -> Result<[Output], Failure>.Publisher {
    Result<[Output], Failure>.Publisher(.success(Array(sequence)))
  }

  /// The result of combining all elements.
  @inlinable
  public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T)
    -> Result<T, Failure>.Publisher
  {
    Result<T, Failure>.Publisher(.success(sequence.reduce(initialResult, nextPartialResult)))
  }

  /// The result of combining all elements, or a failure with the error thrown.
  @inlinable
  public func tryReduce<T>(
    _ initialResult: T,
    _ nextPartialResult: (T, Output) throws -> T
  ) -> Result<T, any Error>.Publisher {
    Result<T, any Error>.Publisher(Result { try sequence.reduce(initialResult, nextPartialResult) })
  }

  /// Nothing but the end.
  @inlinable
  public func ignoreOutput() -> Empty<Output, Failure> {
    Empty()
  }
}

extension Publishers.Sequence where Elements.Element: Equatable {
  /// Whether `output` is among the elements.
  @inlinable
  public func contains(_ output: Output) -> Result<Bool, Failure>.Publisher {
    Result<Bool, Failure>.Publisher(.success(sequence.contains(output)))
  }
}

extension Publishers.Sequence where Failure == Never {
  /// The least element.
  @inlinable
  public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Output>.Publisher {
    Optional<Output>.Publisher(sequence.min(by: areInIncreasingOrder))
  }

  /// The greatest element.
  @inlinable
  public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Output>.Publisher {
    Optional<Output>.Publisher(sequence.max(by: areInIncreasingOrder))
  }
}

extension Publishers.Sequence where Elements.Element: Comparable, Failure == Never {
  /// The least element.
  @inlinable
  public func min() -> Optional<Output>.Publisher {
    Optional<Output>.Publisher(sequence.min())
  }

  /// The greatest element.
  @inlinable
  public func max() -> Optional<Output>.Publisher {
    Optional<Output>.Publisher(sequence.max())
  }
}

extension Publishers.Sequence where Elements: Collection {
  /// The number of elements.
  @inlinable
  public func count() -> Result<Int, Failure>.Publisher {
    Result<Int, Failure>.Publisher(.success(sequence.count))
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection {
  /// The number of elements.
  @inlinable
  public func count() -> Result<Int, Failure>.Publisher {
    Result<Int, Failure>.Publisher(.success(sequence.count))
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection, Failure == Never {
  /// The number of elements.
  @inlinable
  public func count() -> Just<Int> {
    Just(sequence.count)
  }
}
