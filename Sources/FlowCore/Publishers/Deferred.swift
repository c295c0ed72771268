/// Makes a publisher anew for each subscriber.
@frozen
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
  public typealias Output = DeferredPublisher.Output
  public typealias Failure = DeferredPublisher.Failure

  /// Makes the publisher, on the thread that subscribes.
  public let createPublisher: () -> DeferredPublisher

  /// Waits for a subscriber before making its publisher.
  @inlinable
  public init(createPublisher: @escaping () -> DeferredPublisher) {
    self.createPublisher = createPublisher
  }

  /// Makes a publisher, and attaches `subscriber` to it.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: consuming S)
  where S.Input == Output, S.Failure == Failure {
    createPublisher().receive(subscriber: subscriber)
  }
}

extension Deferred {
  /// Always, if what is made always is; otherwise never, as it is made once for each subscriber.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy {
    DeferredPublisher._immediacy == .always ? .always : .never
  }

  /// Hands over what the publisher has that is made now.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>? {
    guard Self._immediacy == .always else { return nil }
    return unsafe createPublisher()._handOver(take)
  }
}
