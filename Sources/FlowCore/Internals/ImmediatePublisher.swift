/// Takes the values of a publisher that has them all at once.
public protocol _ImmediateConsumer {
  associatedtype Input

  /// Takes one value; false when no more are wanted.
  mutating func _take(_ value: Input) -> Bool
}

/// How an `_ImmediatePublisher` came to an end.
@frozen
public enum _ImmediateEnd<Failure: Error> {
  case finished
  case failure(Failure)
  /// The consumer wanted no more.
  case stopped
}

/// A publisher whose values are there at once, so that `flatMap` needs no subscription for it.
public protocol _ImmediatePublisher<Output, Failure>: Publisher {
  /// Hands all values to `consumer` in order.
  func _drive<C: _ImmediateConsumer>(_ consumer: inout C) -> _ImmediateEnd<Failure>
  where C.Input == Output
}
