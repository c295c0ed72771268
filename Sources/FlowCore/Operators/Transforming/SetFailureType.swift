extension Publisher where Failure == Never {
  /// Changes the failure type of a publisher that cannot fail.
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Self, E>
  {
    Publishers.SetFailureType(upstream: self)
  }
}

extension Publishers {
  /// See `setFailureType(to:)`.
  @frozen
  public struct SetFailureType<Upstream: Publisher, Failure: Error>: Publisher
  where Upstream.Failure == Never {
    public typealias Output = Upstream.Output

    /// The publisher that cannot fail.
    public let upstream: Upstream

    /// Creates a publisher of the values of `upstream` that nominally may fail, but never does.
    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: _SetFailureTypeSubscriber(subscriber))
    }

    /// The same publisher, with yet another type of failure.
    @inlinable
    public func setFailureType<E: Error>(
      to failure: E.Type
    ) -> Publishers.SetFailureType<Upstream, E> {
      Publishers.SetFailureType<Upstream, E>(upstream: upstream)
    }
  }
}

extension Publishers.SetFailureType: Equatable where Upstream: Equatable {}

extension Publishers.SetFailureType {
  /// As immediate as the upstream.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy { Upstream._immediacy }

  /// As many as the upstream.
  @inlinable @inline(__always)
  public var _atMost: Int { upstream._atMost }

  /// That of the upstream.
  @inlinable @inline(__always)
  public var _cursor: Upstream._Cursor? { upstream._cursor }

  /// Hands over the upstream's values.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>? {
    switch unsafe upstream._handOver(take) {
    case .finished: .finished
    case .stopped: .stopped
    case nil: nil
    }
  }
}

@frozen
@usableFromInline
struct _SetFailureTypeSubscriber<Downstream: Subscriber>: Subscriber, _SelfDescribing {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Never

  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  @inlinable
  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @usableFromInline
  var description: String { "SetFailureType" }

  @inlinable @inline(__always)
  func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(input) }

  @inlinable
  func receive(completion: Subscribers.Completion<Never>) {
    downstream.receive(completion: .finished)
  }
}
