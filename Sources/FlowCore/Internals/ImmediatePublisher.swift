/// How an `_ImmediatePublisher` came to an end.
@frozen
public enum _ImmediateEnd<Failure: Error> {
  case finished
  case failure(Failure)
  /// No more values were wanted.
  case stopped
}

/// A publisher whose values are there at once, so that `flatMap` needs no subscription for it.
public protocol _ImmediatePublisher<Output, Failure>: Publisher {
  /// Hands all values to `take` in order, until it returns false.
  func _forEach(_ take: (Output) -> Bool) -> _ImmediateEnd<Failure>
}
