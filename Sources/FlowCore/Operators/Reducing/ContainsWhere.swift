extension Publisher {
  /// Publishes whether a value passes a test.
  ///
  ///     source                          --1--2--3--|
  ///     contains(where: { $0 > 1 })     -----t|
  ///
  /// The first that passes decides, and the upstream is cancelled; the end of the upstream is
  /// `false`. Requests everything at once; the answer waits for demand.
  @inlinable
  public func contains(
    where predicate: @escaping (Output) -> Bool
  ) -> Publishers.ContainsWhere<Self> {
    Publishers.ContainsWhere(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// See `contains(where:)`.
  public struct ContainsWhere<Upstream: Publisher>: Publisher {
    /// One answer: whether a value passes.
    public typealias Output = Bool
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are tested.
    public let upstream: Upstream
    /// Whether a value passes; not called again once it has returned true.
    public let predicate: (Upstream.Output) -> Bool

    /// Creates a publisher of whether `predicate` accepts a value of `upstream`.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(
        reducingThrough: "ContainsWhere",
        subscriber,
        false,
        step: { [predicate] result, input in result = predicate(input) },
        isComplete: { $0 },
        result: { $0 }
      )
    }
  }
}
