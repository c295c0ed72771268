extension Publisher where Failure == Never {
  /// Gives a publisher that can not fail another type of failure.
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

    public let upstream: Upstream

    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Inner(downstream: subscriber))
    }

    /// The same publisher, with yet another type of failure.
    public func setFailureType<E: Error>(
      to failure: E.Type
    ) -> Publishers.SetFailureType<Upstream, E> {
      Publishers.SetFailureType<Upstream, E>(upstream: upstream)
    }

    private struct Inner<Downstream: Subscriber>: Subscriber, _SelfDescribing
    where Downstream.Input == Output {
      let downstream: Downstream

      var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }
      var description: String { "SetFailureType" }

      func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
      }

      func receive(_ input: Output) -> Subscribers.Demand { downstream.receive(input) }

      func receive(completion: Subscribers.Completion<Never>) {
        downstream.receive(completion: .finished)
      }
    }
  }
}

extension Publishers.SetFailureType: Equatable where Upstream: Equatable {}

extension Publishers.SetFailureType: _ImmediatePublisher where Upstream: _ImmediatePublisher {
  @inlinable @inline(__always)
  public func _forEach(_ take: (Output) -> Bool) -> _ImmediateEnd<Failure> {
    switch upstream._forEach(take) {
    case .finished: .finished
    case .stopped: .stopped
    }
  }
}
