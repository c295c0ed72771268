extension Publisher {
  /// Leaves out all values, and republishes only the end.
  ///
  ///     source            --1--2--3--|
  ///     ignoreOutput()    -----------|
  ///
  /// Requests everything at once; the end needs no demand.
  @inlinable
  public func ignoreOutput() -> Publishers.IgnoreOutput<Self> {
    Publishers.IgnoreOutput(upstream: self)
  }
}

extension Publishers {
  /// See `ignoreOutput()`.
  public struct IgnoreOutput<Upstream: Publisher>: Publisher {
    /// No value is ever published.
    public typealias Output = Never
    public typealias Failure = Upstream.Failure

    /// The publisher whose end is republished.
    public let upstream: Upstream

    /// Creates a publisher of nothing but the end of `upstream`.
    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Never, S.Failure == Failure {
      upstream.receive(subscriber: Inner(downstream: subscriber))
    }

    @frozen
    @usableFromInline
    struct Inner<Downstream: Subscriber>: Subscriber, _SelfDescribing
    where Downstream.Input == Never, Downstream.Failure == Failure {
      @usableFromInline typealias Input = Upstream.Output

      @usableFromInline let downstream: Downstream

      @inlinable
      init(downstream: Downstream) {
        self.downstream = downstream
      }

      @inlinable
      var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }
      @inlinable
      var description: String { "IgnoreOutput" }

      @inlinable
      func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
        subscription.request(.unlimited)
      }

      @inlinable
      func receive(_ input: Input) -> Subscribers.Demand { .none }

      @inlinable
      func receive(completion: Subscribers.Completion<Failure>) {
        downstream.receive(completion: completion)
      }
    }
  }
}

extension Publishers.IgnoreOutput: Equatable where Upstream: Equatable {}
