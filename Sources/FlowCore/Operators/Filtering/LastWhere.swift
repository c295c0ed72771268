extension Publisher {
  /// Republishes the last value that passes a test when the upstream finishes.
  ///
  ///     source                      --1--2--3--|
  ///     last(where: { $0 < 3 })     -----------2|
  ///
  /// Requests everything at once; the value waits for demand. There may be none.
  @inlinable
  public func last(where predicate: @escaping (Output) -> Bool) -> Publishers.LastWhere<Self> {
    Publishers.LastWhere(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// See `last(where:)`.
  public struct LastWhere<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are tested.
    public let upstream: Upstream
    /// Whether a value may be the one; called once for each, on the thread that delivers it.
    public let predicate: (Upstream.Output) -> Bool

    /// Creates a publisher of the last value of `upstream` that `predicate` accepts.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let last: Output? = nil
      upstream.receive(
        reducingThrough: "LastWhere",
        subscriber,
        last,
        step: { [predicate] last, input in if predicate(input) { last = input } },
        result: { $0 }
      )
    }
  }
}
