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

extension Publisher {
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy { .never }

  @inlinable @inline(__always)
  public func _forEach(_ take: (Output) -> Bool) -> _ImmediateEnd<Failure>? { nil }
}
