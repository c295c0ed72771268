// The value is at hand, or there is none: what operators make of it is, too.

extension Optional.Publisher {
  /// The value if it passes a test.
  @inlinable
  public func filter(_ isIncluded: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
    Optional<Wrapped>.Publisher(output.flatMap { isIncluded($0) ? $0 : nil })
  }

  /// The value, which is the first.
  @inlinable
  public func first() -> Optional<Wrapped>.Publisher {
    self
  }

  /// The value if it passes a test.
  @inlinable
  public func first(where predicate: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
    filter(predicate)
  }

  /// The value, which is the last.
  @inlinable
  public func last() -> Optional<Wrapped>.Publisher {
    self
  }

  /// The value if it passes a test.
  @inlinable
  public func last(where predicate: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
    filter(predicate)
  }

  /// Nothing, unless `count` is 0.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Optional<Wrapped>.Publisher {
    precondition(count >= 0, "count is \(count), expected 0 or more")
    return Optional<Wrapped>.Publisher(count > 0 ? nil : output)
  }

  /// The value if it does not pass a test.
  @inlinable
  public func drop(while predicate: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
    filter { !predicate($0) }
  }

  /// The value, unless `maxLength` is 0.
  @inlinable
  public func prefix(_ maxLength: Int) -> Optional<Wrapped>.Publisher {
    precondition(maxLength >= 0, "maxLength is \(maxLength), expected 0 or more")
    return Optional<Wrapped>.Publisher(maxLength > 0 ? output : nil)
  }

  /// The value if it passes a test.
  @inlinable
  public func prefix(while predicate: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
    filter(predicate)
  }

  /// The value if `index` is 0.
  @inlinable
  public func output(at index: Int) -> Optional<Wrapped>.Publisher {
    precondition(index >= 0, "index is \(index), expected 0 or more")
    return Optional<Wrapped>.Publisher(index == 0 ? output : nil)
  }

  /// The value if `range` contains 0.
  @inlinable
  public func output<R: RangeExpression>(in range: R) -> Optional<Wrapped>.Publisher
  where R.Bound == Int {
    let range = range.relative(to: 0..<Int.max)
    precondition(range.lowerBound >= 0, "range begins at \(range.lowerBound), expected 0 or more")
    // Combine traps here, but also where the range is open, which is of use.
    precondition(range.upperBound != .max - 1, "range ends at \(range.upperBound), expected less")
    return Optional<Wrapped>.Publisher(range.contains(0) ? output : nil)
  }

  /// The value itself: there is no other to compare it with.
  @inlinable
  public func removeDuplicates(by predicate: (Output, Output) -> Bool)
    -> Optional<Wrapped>.Publisher
  {
    self
  }
}
