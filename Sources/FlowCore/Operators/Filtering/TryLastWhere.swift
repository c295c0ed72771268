extension Publisher {
  /// Republishes the last value that passes a test; an error thrown is the failure.
  @inlinable
  public func tryLast(
    where predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryLastWhere<Self> {
    Publishers.TryLastWhere(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// See `tryLast(where:)`.
  public struct TryLastWhere<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = any Error

    public let upstream: Upstream
    public let predicate: (Upstream.Output) throws -> Bool

    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let last: Output? = nil
      upstream.receive(
        throwingReducingThrough: "TryLastWhere",
        subscriber,
        last,
        step: { [predicate] last, input in if try predicate(input) { last = input } },
        result: { $0 }
      )
    }
  }
}
