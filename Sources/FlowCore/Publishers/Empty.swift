/// Publishes nothing, and finishes at once if so made.
///
///     Empty()                            |
///     Empty(completeImmediately: false)  -----
@frozen
public struct Empty<Output, Failure: Error>: Publisher, Equatable, Sendable {
  /// Whether a subscriber is sent the completion at once; otherwise it is sent nothing, ever.
  public let completeImmediately: Bool

  /// Makes a publisher of nothing.
  @inlinable
  public init(completeImmediately: Bool = true) {
    self.completeImmediately = completeImmediately
  }

  /// Makes a publisher of nothing, naming the types it stands in for.
  @inlinable
  public init(
    completeImmediately: Bool = true,
    outputType: Output.Type,
    failureType: Failure.Type
  ) {
    self.init(completeImmediately: completeImmediately)
  }

  /// Sends a subscription that gives nothing, then the end if `completeImmediately`.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    subscriber.receive(subscription: Subscriptions.empty)
    if completeImmediately { subscriber.receive(completion: .finished) }
  }
}

extension Empty {
  /// It depends on `completeImmediately`.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy { .maybe }

  /// It has none.
  @inlinable @inline(__always)
  public var _atMost: Int { 0 }

  /// Hands over nothing, if it finishes at once.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>? {
    completeImmediately ? .finished : nil
  }
}
