/// Publishes one value to each subscriber, then finishes.
///
///     Just(1)  1|
///
/// The value is sent at the first request. Operators that it has itself, such as `map(_:)`, call
/// their closures when they are applied, not for each subscriber.
@frozen
public struct Just<Output>: Publisher {
  public typealias Failure = Never

  /// The value.
  public let output: Output

  /// Makes a publisher of `output`.
  @inlinable @inline(__always)
  public init(_ output: Output) { self.output = output }

  /// Sends a subscription, which sends the value and the end at its first request.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Never {
    subscriber.receive(subscription: _OneValueSubscription("Just", output, subscriber))
  }
}

extension Just: Equatable where Output: Equatable {}
extension Just: Sendable where Output: Sendable {}

extension Just {
  /// Always: the value is there.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy { .always }

  /// It has one.
  @inlinable @inline(__always)
  public var _atMost: Int { 1 }

  /// Hands over the value.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Never>? {
    unsafe withUnsafePointer(to: output, take) ? .finished : .stopped
  }
}
