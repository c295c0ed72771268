// One value is at hand: what operators make of it is, too, so that they need no subscription.

extension Just {
  /// The value if it passes a test.
  @inlinable
  public func filter(_ isIncluded: (Output) -> Bool) -> Optional<Output>.Publisher {
    Optional<Output>.Publisher(isIncluded(output) ? output : nil)
  }

  /// The value, which is the first.
  @inlinable
  public func first() -> Just<Output> {
    self
  }

  /// The value if it passes a test.
  @inlinable
  public func first(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
    filter(predicate)
  }

  /// The value, which is the last.
  @inlinable
  public func last() -> Just<Output> {
    self
  }

  /// The value if it passes a test.
  @inlinable
  public func last(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
    filter(predicate)
  }

  /// Nothing, unless `count` is 0.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Optional<Output>.Publisher {
    precondition(count >= 0, "count is \(count), expected 0 or more")
    return Optional<Output>.Publisher(count > 0 ? nil : output)
  }

  /// The value if it does not pass a test.
  @inlinable
  public func drop(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
    filter { !predicate($0) }
  }

  /// The value, unless `maxLength` is 0.
  @inlinable
  public func prefix(_ maxLength: Int) -> Optional<Output>.Publisher {
    precondition(maxLength >= 0, "maxLength is \(maxLength), expected 0 or more")
    return Optional<Output>.Publisher(maxLength > 0 ? output : nil)
  }

  /// The value if it passes a test.
  @inlinable
  public func prefix(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
    filter(predicate)
  }

  /// The value if `index` is 0.
  @inlinable
  public func output(at index: Int) -> Optional<Output>.Publisher {
    precondition(index >= 0, "index is \(index), expected 0 or more")
    return Optional<Output>.Publisher(index == 0 ? output : nil)
  }

  /// The value if `range` begins with 0.
  @inlinable
  public func output<R: RangeExpression>(in range: R) -> Optional<Output>.Publisher
  where R.Bound == Int {
    // As in Combine, only the beginning counts, even if the range is empty.
    Optional<Output>.Publisher(range.relative(to: 0..<Int.max).lowerBound == 0 ? output : nil)
  }

  /// The value itself: there is no other to compare it with.
  @inlinable
  public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Just<Output> {
    self
  }

  /// The value, or a failure with the error thrown.
  @inlinable
  public func tryRemoveDuplicates(
    by predicate: (Output, Output) throws -> Bool
  ) -> Result<Output, any Error>.Publisher {
    // As in Combine, it is compared with itself.
    tryMap { output in
      _ = try predicate(output, output)
      return output
    }
  }
}
