// The value is at hand, or there is none: what operators make of it is, too.

extension Optional.Publisher {
  /// Whether the value passes a test; nothing if there is none.
  @inlinable
  public func allSatisfy(_ predicate: (Output) -> Bool) -> Optional<Bool>.Publisher {
    map(predicate)
  }

  /// Whether the value passes a test; nothing if there is none.
  @inlinable
  public func contains(where predicate: (Output) -> Bool) -> Optional<Bool>.Publisher {
    map(predicate)
  }

  /// The value in an array, which is empty if there is none.
  @inlinable
  public func collect() -> Optional<[Output]>.Publisher {
    Optional<[Output]>.Publisher(output.map { [$0] } ?? [])
  }

  /// The number of values; nothing, not 0, if there is none.
  @inlinable
  public func count() -> Optional<Int>.Publisher {
    map { _ in 1 }
  }

  /// The value itself: there is no other to compare it with.
  @inlinable
  public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Wrapped>.Publisher
  {
    self
  }

  /// The value itself: there is no other to compare it with.
  @inlinable
  public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Wrapped>.Publisher
  {
    self
  }

  /// Nothing but the end.
  @inlinable
  public func ignoreOutput() -> Empty<Output, Never> {
    Empty()
  }

  /// The value, transformed.
  @inlinable
  public func map<T>(_ transform: (Output) -> T) -> Optional<T>.Publisher {
    Optional<T>.Publisher(output.map(transform))
  }

  /// The value, transformed, unless that is `nil`.
  @inlinable
  public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher {
    Optional<T>.Publisher(output.flatMap(transform))
  }

  /// The result of combining `initialResult` with the value; nothing if there is none.
  @inlinable
  public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T)
    -> Optional<T>.Publisher
  {
    map { nextPartialResult(initialResult, $0) }
  }

  /// The result of combining `initialResult` with the value.
  @inlinable
  public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T)
    -> Optional<T>.Publisher
  {
    map { nextPartialResult(initialResult, $0) }
  }

  /// The same: there is no error to replace.
  @inlinable
  public func replaceError(with output: Output) -> Optional<Wrapped>.Publisher {
    self
  }

  /// The value, or `output` if there is none.
  @inlinable
  public func replaceEmpty(with output: Output) -> Just<Output> {
    Just(self.output ?? output)
  }

  /// The same: there is nothing to try again.
  @inlinable
  public func retry(_ times: Int) -> Optional<Wrapped>.Publisher {
    self
  }
}

extension Optional.Publisher where Wrapped: Equatable {
  /// Whether the value equals `output`; nothing if there is none.
  @inlinable
  public func contains(_ output: Output) -> Optional<Bool>.Publisher {
    map { $0 == output }
  }

  /// The value itself: there is no other to compare it with.
  @inlinable
  public func removeDuplicates() -> Optional<Wrapped>.Publisher {
    self
  }
}

extension Optional.Publisher where Wrapped: Comparable {
  /// The value, which is the least.
  @inlinable
  public func min() -> Optional<Wrapped>.Publisher {
    self
  }

  /// The value, which is the greatest.
  @inlinable
  public func max() -> Optional<Wrapped>.Publisher {
    self
  }
}
