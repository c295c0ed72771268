/// A publisher whose type is hidden.
@frozen
@safe  // memory 8
public struct AnyPublisher<Output, Failure: Error>: Publisher {
  @usableFromInline let subscribe: (AnySubscriber<Output, Failure>) -> Void
  /// What hands over the values of the hidden publisher, if it may have them at once.
  public let _driver: _Driver<Output, Failure>?
  /// As many as the hidden publisher.
  public let _atMost: Int

  /// Hides the type of `publisher`.
  @inlinable @inline(__always)
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    if let same = publisher as? AnyPublisher<Output, Failure> {
      self = same
    } else {
      subscribe = { publisher.receive(subscriber: $0) }
      unsafe _driver = unsafe publisher._driver
      _atMost = publisher._atMost
    }
  }

  @inlinable
  public func receive<S: Subscriber>(subscriber: consuming S)
  where S.Input == Output, S.Failure == Failure {
    subscribe(AnySubscriber(subscriber))
  }

  /// It depends on the publisher that is hidden.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy { .maybe }

  /// Hands over the values of the hidden publisher, if it has them at once.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>? {
    unsafe _driver?(take) ?? nil
  }
}

extension AnyPublisher: CustomStringConvertible, CustomPlaygroundDisplayConvertible {
  /// "AnyPublisher": what is hidden is not told.
  public var description: String { "AnyPublisher" }
  public var playgroundDescription: Any { description }
}

extension Publisher {
  /// Hides the type of this publisher.
  @inlinable @inline(__always)
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}
