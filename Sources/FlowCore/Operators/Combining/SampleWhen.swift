extension Publisher {
  /// Republishes the newest value whenever another publisher publishes, if there is a new one.
  ///
  ///     source            -1-2-----3-----|
  ///     other             ----x--x---x---|
  ///     sample(when:)     ----2------3---|
  ///
  /// This publisher is asked for everything, and only its newest value is kept: one that is followed
  /// by another before the other publisher's next is left out. The other one is asked for as much as
  /// is requested, and for one more whenever it comes without a new value, so a value waits until
  /// there is demand. It ends as soon as either of the two does, and what has not been sampled by then
  /// is left out.
  @inlinable
  @_disfavoredOverload
  public func sample<P: Publisher>(when other: P) -> Publishers.SampleWhen<Self, P>
  where P.Failure == Failure {
    Publishers.SampleWhen(upstream: self, other: other)
  }
}

extension Publishers {
  /// See `sample(when:)`.
  public struct SampleWhen<Upstream: Publisher, Other: Publisher>: Publisher
  where Upstream.Failure == Other.Failure {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose newest value is republished.
    public let upstream: Upstream
    /// The publisher whose values say when.
    public let other: Other

    /// Creates a publisher of the newest value of `upstream` whenever `other` publishes.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    /// Sends `subscriber` its subscription, then subscribes to the upstream and to `other`.
    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let inner = SidedSubscription<Other.Output, Upstream.Output, Failure, S>(
        subscriber,
        SideRules(
          name: "SampleWhen",
          sideDemand: .unlimited,
          startsAtOnce: true,
          endsWithSide: false,
          usesUpSide: true,
          step: { _, newest in newest.map { .emit($0) } ?? .skip(.max(1)) },
          sideEnd: { completion, _ in completion }
        )
      )
      inner.start(other, side: upstream)
    }
  }
}

extension Publishers.SampleWhen: Equatable where Upstream: Equatable, Other: Equatable {}
