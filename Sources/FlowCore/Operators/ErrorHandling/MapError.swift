extension Publisher {
  /// Transforms the failure; values and demand pass through.
  public func mapError<E: Error>(
    _ transform: @escaping (Failure) -> E
  ) -> Publishers.MapError<Self, E> {
    Publishers.MapError(upstream: self, transform)
  }
}

extension Publishers {
  /// See `mapError(_:)`.
  public struct MapError<Upstream: Publisher, Failure: Error>: Publisher {
    public typealias Output = Upstream.Output

    public let upstream: Upstream
    public let transform: (Upstream.Failure) -> Failure

    public init(upstream: Upstream, _ transform: @escaping (Upstream.Failure) -> Failure) {
      self.upstream = upstream
      self.transform = transform
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Inner(downstream: subscriber, transform: transform))
    }

    private struct Inner<Downstream: Subscriber>: Subscriber, _SelfDescribing
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let downstream: Downstream
      let transform: (Upstream.Failure) -> Failure

      var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }
      var description: String { "MapError" }

      func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
      }

      func receive(_ input: Output) -> Subscribers.Demand { downstream.receive(input) }

      func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        switch completion {
        case .finished: downstream.receive(completion: .finished)
        case .failure(let error): downstream.receive(completion: .failure(transform(error)))
        }
      }
    }
  }
}
