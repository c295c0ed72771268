extension Publisher {
  /// Publishes the least value when the upstream finishes.
  ///
  ///     source          --3--1--2--|
  ///     min(by: <)      -----------1|
  ///
  /// Of several equal ones it is the first. Requests everything at once; the value waits for
  /// demand, and there is none if the upstream is empty.
  @inlinable
  public func min(
    by areInIncreasingOrder: @escaping (Output, Output) -> Bool
  ) -> Publishers.Comparison<Self> {
    max { areInIncreasingOrder($1, $0) }
  }

  /// Publishes the greatest value when the upstream finishes.
  ///
  ///     source          --1--3--2--|
  ///     max(by: <)      -----------3|
  ///
  /// For equal values and demand see `min(by:)`.
  @inlinable
  public func max(
    by areInIncreasingOrder: @escaping (Output, Output) -> Bool
  ) -> Publishers.Comparison<Self> {
    Publishers.Comparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
  }
}

extension Publishers {
  /// See `max(by:)`.
  public struct Comparison<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are compared.
    public let upstream: Upstream
    /// Whether the second value is greater than the first; called once for each value but the
    /// first.
    public let areInIncreasingOrder: (Upstream.Output, Upstream.Output) -> Bool

    /// Creates a publisher of the greatest value of `upstream`.
    ///
    /// `areInIncreasingOrder` is called with the greatest value so far and the new one, in this
    /// order.
    @inlinable
    public init(
      upstream: Upstream,
      areInIncreasingOrder: @escaping (Upstream.Output, Upstream.Output) -> Bool
    ) {
      self.upstream = upstream
      self.areInIncreasingOrder = areInIncreasingOrder
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let greatest: Output? = nil
      upstream.receive(
        reducingThrough: "Comparison",
        subscriber,
        greatest,
        step: { [areInIncreasingOrder] greatest, input in
          if let old = greatest, !areInIncreasingOrder(old, input) { return }
          greatest = input
        },
        result: { $0 }
      )
    }
  }
}

extension Publisher where Output: Comparable {
  /// Publishes the least value when the upstream finishes.
  @inlinable
  public func min() -> Publishers.Comparison<Self> { min(by: <) }

  /// Publishes the greatest value when the upstream finishes.
  @inlinable
  public func max() -> Publishers.Comparison<Self> { max(by: <) }
}
