extension Publisher {
  /// Republishes the first value that passes a test, then finishes and cancels the upstream.
  ///
  ///     source                    --1--2--3--|
  ///     first(where: { $0 > 1 })  -----2|
  ///
  /// For each value before it, one more is asked for.
  public func first(where predicate: @escaping (Output) -> Bool) -> Publishers.FirstWhere<Self> {
    Publishers.FirstWhere(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// See `first(where:)`.
  public struct FirstWhere<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let predicate: (Upstream.Output) -> Bool

    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let predicate = predicate
      upstream.receive(through: .reducing("TryFirst"), subscriber, ()) { _, input in
        predicate(input) ? .emitAndFinish(input) : .skip
      }
    }
  }
}
