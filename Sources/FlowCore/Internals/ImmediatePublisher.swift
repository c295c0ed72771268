/// How handing out the values of a publisher that has them at once came to an end.
@frozen
public enum _ImmediateEnd<Failure: Error> {
  case finished
  case failure(Failure)
  /// No more values were wanted.
  case stopped
}

/// Whether the publishers of a type have all their values at once.
///
/// Such a publisher needs no subscription under unlimited demand: `sink` and `flatMap` loop over
/// its values, and the optimiser makes one loop of the operators between.
@frozen
public enum _Immediacy {
  case never
  /// It depends on the publisher.
  case maybe
  case always
}

/// Hands all values to a closure in order, until that returns false.
public typealias _Driver<Output, Failure: Error> =
  ((UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>?

extension Publisher {
  /// Never, unless a type says otherwise.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy { .never }

  /// Hands over nothing and returns nil: most publishers need a subscription.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>? {
    nil
  }

  /// What calls `_handOver(_:)`, or nil if publishers of this type are never immediate.
  @inlinable @inline(__always)
  public var _driver: _Driver<Output, Failure>? {
    Self._immediacy == .never ? nil : { take in unsafe _handOver(take) }
  }

  /// Not known, unless a type says otherwise.
  @inlinable @inline(__always)
  public var _atMost: Int { .max }

  /// As `_handOver(_:)`, with the values themselves.
  @inlinable @inline(__always)
  func _forEach(_ take: (Output) -> Bool) -> _ImmediateEnd<Failure>? {
    unsafe _handOver { unsafe take($0.pointee) }
  }
}
