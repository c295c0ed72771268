extension Result where Failure: Error {
  /// Publishes the value, then finishes; or fails with the error.
  ///
  /// Operators that it has itself, such as `map(_:)`, call their closures when they are applied,
  /// not for each subscriber.
  @frozen
  public struct Publisher: FlowCore.Publisher {
    public typealias Output = Success

    /// The value or the error.
    public let result: Result<Success, Failure>

    /// Makes a publisher of `result`.
    @inlinable
    public init(_ result: Result<Success, Failure>) { self.result = result }

    /// Makes a publisher of a value.
    @inlinable
    public init(_ output: Success) { result = .success(output) }

    /// Makes a publisher that fails.
    @inlinable
    public init(_ failure: Failure) { result = .failure(failure) }

    /// Sends a subscription, which sends the value at its first request; a failure is sent at once.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Success, S.Failure == Failure {
      switch result {
      case .success(let output):
        subscriber.receive(subscription: _OneValueSubscription("Once", output, subscriber))
      case .failure(let error):
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .failure(error))
      }
    }
  }

  /// A publisher of the value or the error.
  @inlinable
  public var publisher: Publisher { Publisher(self) }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}

extension Result.Publisher {
  /// Always: the value or the error is there.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy { .always }

  /// It has one, or none.
  @inlinable @inline(__always)
  public var _atMost: Int { 1 }

  /// Hands over the value, or the failure.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Success>) -> Bool) -> _ImmediateEnd<Failure>? {
    switch result {
    case .success(let output): unsafe withUnsafePointer(to: output, take) ? .finished : .stopped
    case .failure(let error): .failure(error)
    }
  }
}
