extension Optional {
  /// Publishes the wrapped value, if there is one, then finishes.
  ///
  /// Operators that it has itself, such as `map(_:)`, call their closures when they are applied,
  /// not for each subscriber.
  @frozen
  public struct Publisher: FlowCore.Publisher {
    public typealias Output = Wrapped
    public typealias Failure = Never

    /// The value, or none.
    public let output: Wrapped?

    /// Makes a publisher of `output`.
    @inlinable
    public init(_ output: Wrapped?) { self.output = output }

    /// Sends a subscription, which sends the value at its first request; without a value, the end
    /// at once.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Wrapped, S.Failure == Never {
      guard let output else {
        subscriber.receive(subscription: Subscriptions.empty)
        return subscriber.receive(completion: .finished)
      }
      subscriber.receive(subscription: _OneValueSubscription("Optional", output, subscriber))
    }
  }

  /// A publisher of the wrapped value, if there is one.
  @inlinable
  public var publisher: Publisher { Publisher(self) }
}

extension Optional.Publisher: Equatable where Wrapped: Equatable {}

extension Optional.Publisher {
  /// Always: the value is there, or there is none.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy { .always }

  /// It has one, or none.
  @inlinable @inline(__always)
  public var _atMost: Int { 1 }

  /// Hands over the value, if there is one.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Wrapped>) -> Bool) -> _ImmediateEnd<Never>? {
    guard let output else { return .finished }
    return unsafe withUnsafePointer(to: output, take) ? .finished : .stopped
  }
}
