/// Gives the values of a publisher that has them at once, one by one.
public protocol _ValueCursor<Output> {
  associatedtype Output

  /// Whether the end has come: with the last value, as a subscriber would be sent it.
  var isAtEnd: Bool { get }

  /// The next value, if it is not at the end; nil is one that is left out.
  mutating func next() -> Output?
}

/// The cursor of publishers that need a subscription; there is none.
@frozen
public struct _NoCursor<Output>: _ValueCursor {
  @inlinable
  public var isAtEnd: Bool { true }
  @inlinable
  public mutating func next() -> Output? { nil }
}

extension Publisher where _Cursor == _NoCursor<Output> {
  /// There is none.
  @inlinable @inline(__always)
  public var _cursor: _NoCursor<Output>? { nil }
}

/// The cursor of a sequence.
@frozen
public struct _SequenceCursor<Iterator: IteratorProtocol>: _ValueCursor {
  @usableFromInline var iterator: Iterator
  @usableFromInline var upcoming: Iterator.Element?

  @inlinable @inline(__always)
  init(_ iterator: Iterator) {
    self.iterator = iterator
    upcoming = self.iterator.next()
  }

  @inlinable @inline(__always)
  public var isAtEnd: Bool { if case .none = upcoming { true } else { false } }

  @inlinable @inline(__always)
  public mutating func next() -> Iterator.Element? {
    let value = upcoming
    upcoming = iterator.next()
    return value
  }
}

/// The cursor of what becomes of each value.
@frozen
public struct _MapCursor<Base: _ValueCursor, Output>: _ValueCursor {
  @usableFromInline var base: Base
  @usableFromInline let transform: (Base.Output) -> Output

  @inlinable @inline(__always)
  init(_ base: Base, _ transform: @escaping (Base.Output) -> Output) {
    self.base = base
    self.transform = transform
  }

  @inlinable @inline(__always)
  public var isAtEnd: Bool { base.isAtEnd }

  @inlinable @inline(__always)
  public mutating func next() -> Output? { base.next().map(transform) }
}

/// The cursor of what becomes of some values.
@frozen
public struct _CompactMapCursor<Base: _ValueCursor, Output>: _ValueCursor {
  @usableFromInline var base: Base
  @usableFromInline let transform: (Base.Output) -> Output?

  @inlinable @inline(__always)
  init(_ base: Base, _ transform: @escaping (Base.Output) -> Output?) {
    self.base = base
    self.transform = transform
  }

  @inlinable @inline(__always)
  public var isAtEnd: Bool { base.isAtEnd }

  @inlinable @inline(__always)
  public mutating func next() -> Output? { base.next().flatMap(transform) }
}

/// The cursor of the values that pass a test.
@frozen
public struct _FilterCursor<Base: _ValueCursor>: _ValueCursor {
  @usableFromInline var base: Base
  @usableFromInline let isIncluded: (Base.Output) -> Bool

  @inlinable @inline(__always)
  init(_ base: Base, _ isIncluded: @escaping (Base.Output) -> Bool) {
    self.base = base
    self.isIncluded = isIncluded
  }

  @inlinable @inline(__always)
  public var isAtEnd: Bool { base.isAtEnd }

  @inlinable @inline(__always)
  public mutating func next() -> Base.Output? {
    base.next().flatMap { isIncluded($0) ? $0 : nil }
  }
}
