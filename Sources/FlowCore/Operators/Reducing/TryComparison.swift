extension Publisher {
  /// Publishes the least value when the upstream finishes; an error thrown becomes the failure.
  ///
  /// For demand and the end see `min(by:)`. The error also cancels the upstream.
  @inlinable
  public func tryMin(
    by areInIncreasingOrder: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryComparison<Self> {
    tryMax { try areInIncreasingOrder($1, $0) }
  }

  /// Publishes the greatest value when the upstream finishes; an error thrown becomes the failure.
  ///
  /// For demand and the end see `max(by:)`. The error also cancels the upstream.
  @inlinable
  public func tryMax(
    by areInIncreasingOrder: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryComparison<Self> {
    Publishers.TryComparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
  }
}

extension Publishers {
  /// See `tryMax(by:)`.
  public struct TryComparison<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    /// The upstream's failure, or what `areInIncreasingOrder` throws.
    public typealias Failure = any Error

    /// The publisher whose values are compared.
    public let upstream: Upstream
    /// Whether the second value is greater than the first; called once for each value but the
    /// first.
    public let areInIncreasingOrder: (Upstream.Output, Upstream.Output) throws -> Bool

    /// Creates a publisher of the greatest value of `upstream`.
    ///
    /// If `areInIncreasingOrder` throws, the upstream is cancelled and the error is published.
    @inlinable
    public init(
      upstream: Upstream,
      areInIncreasingOrder: @escaping (Upstream.Output, Upstream.Output) throws -> Bool
    ) {
      self.upstream = upstream
      self.areInIncreasingOrder = areInIncreasingOrder
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let greatest: Output? = nil
      upstream.receive(
        throwingReducingThrough: "TryComparison",
        subscriber,
        greatest,
        step: { [areInIncreasingOrder] greatest, input in
          if let old = greatest, try !areInIncreasingOrder(old, input) { return }
          greatest = input
        },
        result: { $0 }
      )
    }
  }
}
