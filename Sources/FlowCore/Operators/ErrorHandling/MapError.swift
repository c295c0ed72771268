extension Publisher {
  /// Transforms the failure; values and demand pass through.
  @inlinable
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

    /// The publisher whose failure is transformed.
    public let upstream: Upstream
    /// Makes the failure that is published; called once, if the upstream fails.
    public let transform: (Upstream.Failure) -> Failure

    /// Creates a publisher of the values of `upstream`, whose failure is transformed.
    @inlinable
    public init(upstream: Upstream, _ transform: @escaping (Upstream.Failure) -> Failure) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Inner(downstream: subscriber, transform: transform))
    }

    @frozen
    @usableFromInline
    struct Inner<Downstream: Subscriber>: Subscriber, _SelfDescribing
    where Downstream.Input == Output, Downstream.Failure == Failure {
      @usableFromInline let downstream: Downstream
      @usableFromInline let transform: (Upstream.Failure) -> Failure

      @inlinable
      init(downstream: Downstream, transform: @escaping (Upstream.Failure) -> Failure) {
        self.downstream = downstream
        self.transform = transform
      }

      @inlinable
      var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }
      @inlinable
      var description: String { "MapError" }

      @inlinable
      func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
      }

      @inlinable
      func receive(_ input: Output) -> Subscribers.Demand { downstream.receive(input) }

      @inlinable
      func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        switch completion {
        case .finished: downstream.receive(completion: .finished)
        case .failure(let error): downstream.receive(completion: .failure(transform(error)))
        }
      }
    }
  }
}
