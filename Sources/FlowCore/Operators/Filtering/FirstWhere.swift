extension Publisher {
  /// Republishes the first value that passes a test, then finishes and cancels the upstream.
  ///
  ///     source                    --1--2--3--|
  ///     first(where: { $0 > 1 })  -----2|
  ///
  /// Requests everything at once; the value waits for demand.
  @inlinable
  public func first(where predicate: @escaping (Output) -> Bool) -> Publishers.FirstWhere<Self> {
    Publishers.FirstWhere(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// See `first(where:)`.
  public struct FirstWhere<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are tested.
    public let upstream: Upstream
    /// Whether a value is the one; not called again once it has returned true.
    public let predicate: (Upstream.Output) -> Bool

    /// Creates a publisher of the first value of `upstream` that `predicate` accepts.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.firstWhere(.reducing("TryFirst"), subscriber, predicate)
    }
  }
}

extension Publisher {
  /// Subscribes `downstream` to the first value that passes a test.
  @inlinable
  func firstWhere<Downstream: Subscriber>(
    _ name: StageName,
    _ downstream: Downstream,
    _ predicate: @escaping (Output) -> Bool
  ) where Downstream.Input == Output, Downstream.Failure == Failure {
    let inner = ReducingSubscriber<Output, Failure, Output?, Downstream>(
      name,
      downstream,
      nil,
      mapFailure: { $0 },
      step: { first, input in
        if predicate(input) { first = input }
        return nil
      },
      isComplete: { $0 != nil },
      result: { $0 }
    )
    receive(subscriber: inner)
  }
}
