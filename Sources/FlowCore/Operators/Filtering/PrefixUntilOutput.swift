extension Publisher {
  /// Republishes values until `publisher` publishes one, and finishes with that.
  ///
  ///     source                        --1--2--3--4--|
  ///     publisher                     -------a-------
  ///     prefix(untilOutputFrom:)      --1--2-|
  ///
  /// Demand passes through. One value of `publisher` is asked for; its end changes nothing.
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

    public let upstream: Upstream
    public let other: Other

    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
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
