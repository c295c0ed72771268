extension Publisher {
  /// Leaves out all values, and republishes only the end.
  ///
  ///     source            --1--2--3--|
  ///     ignoreOutput()    -----------|
  ///
  /// Everything is asked for at once; the end needs no demand.
  public func ignoreOutput() -> Publishers.IgnoreOutput<Self> {
    Publishers.IgnoreOutput(upstream: self)
  }
}

extension Publishers {
  /// See `ignoreOutput()`.
  public struct IgnoreOutput<Upstream: Publisher>: Publisher {
    public typealias Output = Never
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream

    public init(upstream: Upstream) { self.upstream = upstream }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Never, S.Failure == Failure {
      upstream.receive(subscriber: Inner(downstream: subscriber))
    }

    private struct Inner<Downstream: Subscriber>: Subscriber, _SelfDescribing
    where Downstream.Input == Never, Downstream.Failure == Failure {
      typealias Input = Upstream.Output

      let downstream: Downstream

      var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }
      var description: String { "IgnoreOutput" }

      func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
        subscription.request(.unlimited)
      }

      func receive(_ input: Input) -> Subscribers.Demand { .none }

      func receive(completion: Subscribers.Completion<Failure>) {
        downstream.receive(completion: completion)
      }
    }
  }
}

extension Publishers.IgnoreOutput: Equatable where Upstream: Equatable {}
