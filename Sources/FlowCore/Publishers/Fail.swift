/// Fails at once.
///
///     Fail(error: e)  ✕
@frozen
public struct Fail<Output, Failure: Error>: Publisher {
  /// The error.
  public let error: Failure

  /// Makes a publisher that fails with `error`.
  @inlinable
  public init(error: Failure) { self.error = error }

  /// Makes a publisher that fails with `failure`, naming the values it stands in for.
  @inlinable
  public init(outputType: Output.Type, failure: Failure) { error = failure }

  /// Sends a subscription that gives nothing, then the failure, which needs no demand.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    subscriber.receive(subscription: Subscriptions.empty)
    subscriber.receive(completion: .failure(error))
  }
}

extension Fail: Equatable where Failure: Equatable {}
extension Fail: Sendable where Failure: Sendable {}

extension Fail {
  /// Always: there is nothing to wait for.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy { .always }

  /// It has none.
  @inlinable @inline(__always)
  public var _atMost: Int { 0 }

  /// Hands over nothing but the failure.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>? {
    .failure(error)
  }
}
