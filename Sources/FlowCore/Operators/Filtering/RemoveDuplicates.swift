extension Publisher where Output: Equatable {
  /// Leaves out a value that equals the one before it.
  ///
  ///     source                 --1--1--2--1--|
  ///     removeDuplicates()     --1-----2--1--|
  ///
  /// Requests one more value for each one it leaves out.
  @inlinable
  public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> {
    removeDuplicates(by: ==)
  }
}

extension Publisher {
  /// Leaves out a value for which `predicate` holds with the last one sent on.
  @inlinable
  public func removeDuplicates(
    by predicate: @escaping (Output, Output) -> Bool
  ) -> Publishers.RemoveDuplicates<Self> {
    Publishers.RemoveDuplicates(upstream: self, predicate: predicate)
  }

  /// Leaves out a value whose key equals that of the last one sent on.
  ///
  ///     orders.removeDuplicates(by: \.id)
  ///
  /// `key` is asked of both values each time, so it should be cheap.
  @inlinable
  @_disfavoredOverload
  public func removeDuplicates<Key: Equatable>(
    by key: @escaping (Output) -> Key
  ) -> Publishers.RemoveDuplicates<Self> {
    removeDuplicates { key($0) == key($1) }
  }
}

extension Publishers {
  /// See `removeDuplicates(by:)`.
  public struct RemoveDuplicates<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are compared.
    public let upstream: Upstream
    /// Whether the second value, the new one, repeats the first, the last one republished.
    public let predicate: (Upstream.Output, Upstream.Output) -> Bool

    /// Creates a publisher that leaves out the values of `upstream` that repeat the one before.
    ///
    /// `predicate` is called with the last value republished and the new one, in this order.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output, Upstream.Output) -> Bool)
    {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let predicate = predicate
      let last: Output? = nil
      upstream.receive(
        through: .filtering("RemoveDuplicates", showing: [.last]),
        subscriber,
        last
      ) { last, input in
        if let last, predicate(last, input) { return .skip }
        last = input
        return .emit(input)
      }
    }
  }
}
