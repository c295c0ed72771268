/// A source of values over time, given to the subscribers that ask for them.
///
/// A publisher gives a subscriber at most what it has asked for and, after that, at most one
/// completion. Signals to one subscriber never overlap, whatever threads they come from.
public protocol Publisher<Output, Failure> {
  /// The kind of value published.
  associatedtype Output
  /// The kind of error that ends publishing; `Never` if nothing can fail.
  associatedtype Failure: Error

  /// Attaches `subscriber`, which is sent exactly one subscription before anything else.
  ///
  /// Call `subscribe(_:)` instead; this method is what a publisher implements.
  func receive<S: Subscriber>(subscriber: consuming S)
  where S.Input == Output, S.Failure == Failure

  /// Whether publishers of this type have all their values at once; by default they never have.
  static var _immediacy: _Immediacy { get }

  /// Hands all values to `take` in order, until it returns false, if they are there at once.
  ///
  /// They are handed over by address: a closure that takes a pointer needs no conversion on its way
  /// through generic code.
  ///
  /// - Returns: nil, before anything is taken, if they are not.
  func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>?

  /// A closure that does what `_handOver(_:)` does, to keep where the type is erased; nil if values
  /// are not there at once.
  var _driver: _Driver<Output, Failure>? { get }

  /// How many values it has at the most, so that with that demand all can be handed over; `Int.max`
  /// if that is not known.
  var _atMost: Int { get }

  /// What gives the values one by one.
  associatedtype _Cursor: _ValueCursor<Output> = _NoCursor<Output>

  /// A cursor before the first value, if values are there at once and the end is `finished`.
  ///
  /// Whoever has demand for a part of the values takes them from it, without a subscription.
  var _cursor: _Cursor? { get }
}

extension Publisher {
  /// Attaches `subscriber` to this publisher.
  @inlinable @inline(__always)
  public func subscribe<S: Subscriber>(_ subscriber: consuming S)
  where S.Input == Output, S.Failure == Failure {
    receive(subscriber: subscriber)
  }

  /// Republishes everything through `subject`, which requests what it can take and is not kept
  /// alive.
  ///
  /// - Returns: what ends this when it is cancelled or released.
  @inlinable
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable
  where S.Output == Output, S.Failure == Failure {
    let subscriber = SubjectSubscriber(_WeakSubject(subject))
    receive(subscriber: subscriber)
    return AnyCancellable(subscriber)
  }
}
