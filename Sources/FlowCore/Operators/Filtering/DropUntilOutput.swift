extension Publisher {
  /// Drops values until `publisher` publishes one.
  ///
  ///     source                        --1--2--3--4--|
  ///     publisher                     -------a-------
  ///     drop(untilOutputFrom:)        --------3--4--|
  ///
  /// Demand passes through: values that are dropped use it up, as in Combine. Requests one value of
  /// `publisher`; if that ends without one, so does this.
  @inlinable
  public func drop<P: Publisher>(untilOutputFrom publisher: P)
    -> Publishers.DropUntilOutput<Self, P> where P.Failure == Failure
  {
    Publishers.DropUntilOutput(upstream: self, other: publisher)
  }
}

extension Publishers {
  /// See `drop(untilOutputFrom:)`.
  public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
  where Upstream.Failure == Other.Failure {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are left out at first.
    public let upstream: Upstream
    /// The publisher whose first value opens the way.
    public let other: Other

    /// Creates a publisher that leaves out the values of `upstream` until `other` publishes one.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    /// Sends `subscriber` its subscription, then subscribes to `other` and to the upstream.
    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let inner = SidedSubscription<Output, Other.Output, Failure, S>(
        subscriber,
        SideRules(
          name: "DropUntilOutput",
          sideDemand: .max(1),
          startsAtOnce: true,
          endsWithSide: false,
          step: { input, value in value == nil ? .skip(.none) : .emit(input) },
          sideEnd: { completion, value in value == nil ? completion : nil }
        )
      )
      inner.start(upstream, side: other)
    }
  }
}

extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}
