// The elements are at hand: what operators make of them is, too, once for all subscribers.

extension Publishers.Sequence {
  /// The elements, transformed.
  @inlinable
  public func map<T>(_ transform: (Output) -> T) -> Publishers.Sequence<[T], Failure> {
    Publishers.Sequence(sequence: sequence.map(transform))
  }

  /// The elements, transformed, without those that become `nil`.
  @inlinable
  public func compactMap<T>(_ transform: (Output) -> T?) -> Publishers.Sequence<[T], Failure> {
    var result: [T] = []
    result.reserveCapacity(sequence.underestimatedCount)
    for element in sequence { if let value = transform(element) { result.append(value) } }
    return Publishers.Sequence(sequence: result)
  }

  /// The running result of combining the elements.
  @inlinable
  public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T)
    -> Publishers.Sequence<[T], Failure>
  {
    var result = initialResult
    let results = sequence.map { element in
      let next = nextPartialResult(result, element)
      result = next
      return next
    }
    return Publishers.Sequence(sequence: results)
  }

  /// The elements, with `output` in the place of each `nil`.
  @inlinable
  public func replaceNil<T>(with output: T) -> Publishers.Sequence<[T], Failure>
  where Output == T? {
    Publishers.Sequence(sequence: sequence.map { $0 ?? output })
  }

  /// The elements that pass a test.
  @inlinable
  public consuming func filter(_ isIncluded: (Output) -> Bool)
    -> Publishers.Sequence<[Output], Failure>
  {
    // An array that nobody else holds, as between two operators, is filtered in its place.
    if Elements.self == [Output].self {
      // memory 7
      var elements = unsafe unsafeBitCast((consume self).sequence, to: [Output].self)
      elements.removeAll { !isIncluded($0) }
      return Publishers.Sequence(sequence: elements)
    }
    var result: [Output] = []
    result.reserveCapacity(sequence.underestimatedCount)
    for element in sequence where isIncluded(element) { result.append(element) }
    return Publishers.Sequence(sequence: result)
  }

  /// The elements from the first that does not pass a test.
  @inlinable
  public func drop(while predicate: (Output) -> Bool)
    -> Publishers.Sequence<DropWhileSequence<Elements>, Failure>
  {
    Publishers.Sequence(sequence: sequence.drop(while: predicate))
  }

  /// The elements without the first `count`.
  @inlinable
  public func dropFirst(_ count: Int = 1)
    -> Publishers.Sequence<DropFirstSequence<Elements>, Failure>
  {
    Publishers.Sequence(sequence: sequence.dropFirst(count))
  }

  /// The first elements, at most `maxLength`.
  @inlinable
  public func prefix(_ maxLength: Int) -> Publishers.Sequence<PrefixSequence<Elements>, Failure> {
    Publishers.Sequence(sequence: sequence.prefix(maxLength))
  }

  /// The elements before the first that does not pass a test.
  @inlinable
  public func prefix(while predicate: (Output) -> Bool) -> Publishers.Sequence<[Output], Failure> {
    Publishers.Sequence(sequence: sequence.prefix(while: predicate))
  }
}

extension Publishers.Sequence where Failure == Never {
  /// The elements, from a publisher that may fail by its type.
  @inlinable
  public func setFailureType<E: Error>(to error: E.Type) -> Publishers.Sequence<Elements, E> {
    Publishers.Sequence(sequence: sequence)
  }
}

extension Publishers.Sequence where Elements.Element: Equatable {
  /// The elements without those that equal the one before.
  @inlinable
  public func removeDuplicates() -> Publishers.Sequence<[Output], Failure> {
    var result: [Output] = []
    for element in sequence where result.last != element { result.append(element) }
    return Publishers.Sequence(sequence: result)
  }
}
