// One value is at hand: what operators make of it is, too, so that they need no subscription.

extension Just {
  /// Whether the value passes a test.
  @inlinable
  public func allSatisfy(_ predicate: (Output) -> Bool) -> Just<Bool> {
    Just<Bool>(predicate(output))
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
  public func contains(where predicate: (Output) -> Bool) -> Just<Bool> {
    Just<Bool>(predicate(output))
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
  public func collect() -> Just<[Output]> {
    Just<[Output]>([output])
  }

  /// The number of values, which is 1.
  @inlinable
  public func count() -> Just<Int> {
    Just<Int>(1)
  }

  /// The value itself: there is no other to compare it with.
  @inlinable
  public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> {
    self
  }

  /// The value itself: there is no other to compare it with.
  @inlinable
  public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> {
    self
  }

  /// Nothing but the end.
  @inlinable
  public func ignoreOutput() -> Empty<Output, Never> {
    Empty()
  }

  /// Other values, then this one.
  @inlinable
  public func prepend(_ elements: Output...) -> Publishers.Sequence<[Output], Never> {
    prepend(elements)
  }

  /// Other values, then this one.
  @inlinable
  public func prepend<S: Swift.Sequence>(_ elements: S) -> Publishers.Sequence<[Output], Never>
  where S.Element == Output {
    var sequence: [Output] = []
    sequence.reserveCapacity(elements.underestimatedCount + 1)
    sequence.append(contentsOf: elements)
    sequence.append(output)
    return Publishers.Sequence(sequence: sequence)
  }

  /// This value, then others.
  @inlinable
  public func append(_ elements: Output...) -> Publishers.Sequence<[Output], Never> {
    append(elements)
  }

  /// This value, then others.
  @inlinable
  public func append<S: Swift.Sequence>(_ elements: S) -> Publishers.Sequence<[Output], Never>
  where S.Element == Output {
    var sequence = [output]
    sequence.append(contentsOf: elements)
    return Publishers.Sequence(sequence: sequence)
  }
}

extension Just where Output: Equatable {
  /// Whether the value equals `output`.
  @inlinable
  public func contains(_ output: Output) -> Just<Bool> {
    Just<Bool>(self.output == output)
  }

  /// The value itself: there is no other to compare it with.
  @inlinable
  public func removeDuplicates() -> Just<Output> {
    self
  }
}

extension Just where Output: Comparable {
  /// The value, which is the least.
  @inlinable
  public func min() -> Just<Output> {
    self
  }

  /// The value, which is the greatest.
  @inlinable
  public func max() -> Just<Output> {
    self
  }
}
