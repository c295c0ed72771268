extension Publisher {
  /// Publishes each value together with the one before it.
  ///
  ///     source         --1--2-----3-----|
  ///     pairwise()     -----(12)--(23)--|
  ///
  /// The first value comes out only as the first half of a pair, and one more is requested for it.
  @inlinable
  @_disfavoredOverload
  public func pairwise() -> Publishers.Pairwise<Self> { Publishers.Pairwise(upstream: self) }
}

extension Publishers {
  /// See `pairwise()`.
  public struct Pairwise<Upstream: Publisher>: Publisher {
    /// A value, behind the one before it.
    public typealias Output = (previous: Upstream.Output, current: Upstream.Output)
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are paired.
    public let upstream: Upstream

    /// Creates a publisher of the values of `upstream`, each with the one before it.
    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let previous: Upstream.Output? = nil
      upstream.receive(through: "Pairwise", subscriber, previous) { previous, input in
        guard let before = previous else {
          previous = input
          return .skip
        }
        previous = input
        return .emit((before, input))
      }
    }
  }
}

extension Publishers.Pairwise: Equatable where Upstream: Equatable {}
