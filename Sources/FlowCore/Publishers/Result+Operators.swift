// The value or the error is at hand: what operators make of it is, too.

extension Result.Publisher {
  /// Whether the value passes a test.
  @inlinable
  public func allSatisfy(_ predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
    map(predicate)
  }

  /// Whether the value passes a test, or a failure with the error thrown.
  @inlinable
  public func tryAllSatisfy(_ predicate: (Output) throws -> Bool)
    -> Result<Bool, any Error>.Publisher
  {
    tryMap(predicate)
  }

  /// Whether the value passes a test.
  @inlinable
  public func contains(where predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
    map(predicate)
  }

  /// Whether the value passes a test, or a failure with the error thrown.
  @inlinable
  public func tryContains(where predicate: (Output) throws -> Bool)
    -> Result<Bool, any Error>.Publisher
  {
    tryMap(predicate)
  }

  /// The value in an array.
  @inlinable
  public func collect() -> Result<[Success], Failure>.Publisher {
    map { [$0] }
  }

  /// The number of values, which is 1.
  @inlinable
  public func count() -> Result<Int, Failure>.Publisher {
    map { _ in 1 }
  }

  /// The value itself: there is no other to compare it with.
  @inlinable
  public func min(by areInIncreasingOrder: (Output, Output) -> Bool)
    -> Result<Success, Failure>.Publisher
  {
    self
  }

  /// The value, or a failure with the error thrown when it is compared with itself.
  @inlinable
  public func tryMin(by areInIncreasingOrder: (Output, Output) throws -> Bool)
    -> Result<Success, any Error>.Publisher
  {
    tryRemoveDuplicates(by: areInIncreasingOrder)
  }

  /// The value itself: there is no other to compare it with.
  @inlinable
  public func max(by areInIncreasingOrder: (Output, Output) -> Bool)
    -> Result<Success, Failure>.Publisher
  {
    self
  }

  /// The value, or a failure with the error thrown when it is compared with itself.
  @inlinable
  public func tryMax(by areInIncreasingOrder: (Output, Output) throws -> Bool)
    -> Result<Success, any Error>.Publisher
  {
    tryRemoveDuplicates(by: areInIncreasingOrder)
  }

  /// The value, which is the first.
  @inlinable
  public func first() -> Result<Success, Failure>.Publisher {
    self
  }

  /// The value, which is the last.
  @inlinable
  public func last() -> Result<Success, Failure>.Publisher {
    self
  }

  /// The value itself: there is no other to compare it with.
  @inlinable
  public func removeDuplicates(by predicate: (Output, Output) -> Bool)
    -> Result<Success, Failure>.Publisher
  {
    self
  }

  /// The value, or a failure with the error thrown when it is compared with itself.
  @inlinable
  public func tryRemoveDuplicates(by predicate: (Output, Output) throws -> Bool)
    -> Result<Success, any Error>.Publisher
  {
    tryMap { output in
      _ = try predicate(output, output)
      return output
    }
  }

  /// Nothing but the end: it finishes, as Combine's does, even where there is an error.
  @inlinable
  public func ignoreOutput() -> Empty<Success, Failure> {
    Empty()
  }
}

extension Result.Publisher where Success: Equatable {
  /// Whether the value equals `output`.
  @inlinable
  public func contains(_ output: Output) -> Result<Bool, Failure>.Publisher {
    map { $0 == output }
  }

  /// The value itself: there is no other to compare it with.
  @inlinable
  public func removeDuplicates() -> Result<Success, Failure>.Publisher {
    self
  }
}

extension Result.Publisher where Success: Comparable {
  /// The value, which is the least.
  @inlinable
  public func min() -> Result<Success, Failure>.Publisher {
    self
  }

  /// The value, which is the greatest.
  @inlinable
  public func max() -> Result<Success, Failure>.Publisher {
    self
  }
}
