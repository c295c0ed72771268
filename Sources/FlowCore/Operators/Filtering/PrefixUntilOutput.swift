extension Publisher {
  /// Republishes values until `publisher` publishes one, then finishes.
  ///
  ///     source                        --1--2--3--4--|
  ///     publisher                     -------a-------
  ///     prefix(untilOutputFrom:)      --1--2-|
  ///
  /// Demand passes through. Requests one value of `publisher`, whose end changes nothing.
  @inlinable
  public func prefix<P: Publisher>(untilOutputFrom publisher: P)
    -> Publishers.PrefixUntilOutput<Self, P>
  {
    Publishers.PrefixUntilOutput(upstream: self, other: publisher)
  }
}

extension Publishers {
  /// See `prefix(untilOutputFrom:)`.
  public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are republished.
    public let upstream: Upstream
    /// The publisher whose first value is the end; what it ends with does not matter.
    public let other: Other

    /// Creates a publisher of the values of `upstream` before the first of `other`.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    /// Subscribes to `other`, so that nothing of it is missed, then to the upstream.
    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let inner = SidedSubscription<Output, Other.Output, Other.Failure, S>(
        subscriber,
        SideRules(
          name: "PrefixUntilOutput",
          sideDemand: .max(1),
          startsAtOnce: false,
          endsWithSide: true,
          step: { input, _ in .emit(input) },
          sideEnd: { _, _ in nil }
        )
      )
      inner.start(upstream, side: other)
    }
  }
}

extension Publishers.PrefixUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}
