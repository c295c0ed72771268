extension Publisher where Output: Publisher, Output.Failure == Failure {
  /// Republishes the values of the publisher that came last, and cancels the one before.
  ///
  ///     source             --a--------b-----|
  ///     a                    --1--2--3--4|
  ///     b                             --5--6|
  ///     switchToLatest()   ----1--2-----5--6|
  ///
  /// Requests all publishers at once; each is asked for the demand that is still unmet. It finishes
  /// when the source and the last publisher have; a failure of either ends it at once.
  @inlinable @inline(__always)
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher where Output: Publisher, Output.Failure == Never {
  /// Republishes the values of the publisher that came last, which cannot fail.
  @inlinable @inline(__always)
  public func switchToLatest()
    -> Publishers.SwitchToLatest<
      Publishers.SetFailureType<Output, Failure>,
      Publishers.Map<Self, Publishers.SetFailureType<Output, Failure>>
    >
  {
    Publishers.Map(upstream: self) { $0.setFailureType(to: Failure.self) }.switchToLatest()
  }
}

extension Publisher where Output: Publisher, Failure == Never {
  /// Republishes the values of the publisher that came last, from a source that cannot fail.
  @inlinable @inline(__always)
  public func switchToLatest()
    -> Publishers.SwitchToLatest<
      Output, Publishers.SetFailureType<Self, Output.Failure>
    >
  {
    setFailureType(to: Output.Failure.self).switchToLatest()
  }
}

extension Publisher where Output: Publisher, Failure == Never, Output.Failure == Never {
  /// Republishes the values of the publisher that came last, where neither can fail.
  @inlinable @inline(__always)
  public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher {
  /// Turns each value into a publisher, and republishes the values of the last of them.
  ///
  /// It is `map(transform).switchToLatest()`.
  @inlinable @inline(__always)
  @_disfavoredOverload
  public func flatMapLatest<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> Publishers.SwitchToLatest<P, Publishers.Map<Self, P>> where P.Failure == Failure {
    Publishers.SwitchToLatest(upstream: Publishers.Map(upstream: self, transform: transform))
  }
}

extension Publishers {
  /// See `switchToLatest()`.
  public struct SwitchToLatest<P: Publisher, Upstream: Publisher>: Publisher
  where P == Upstream.Output, P.Failure == Upstream.Failure {
    /// The values of the publishers that come.
    public typealias Output = P.Output
    public typealias Failure = P.Failure

    /// The publisher of publishers.
    public let upstream: Upstream

    /// Creates a publisher of the values of the publisher that `upstream` has published last.
    @inlinable @inline(__always)
    public init(upstream: Upstream) { self.upstream = upstream }

    /// Sends `subscriber` its subscription, then subscribes to the upstream.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let inner = _SwitchSubscription<P, S>(subscriber)
      subscriber.receive(subscription: inner)
      upstream.receive(subscriber: inner)
    }
  }
}

extension Publishers.SwitchToLatest {
  /// As immediate as the upstream, if the publishers are always immediate; otherwise never.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy {
    P._immediacy == .always ? Upstream._immediacy : .never
  }

  /// Hands over the values of all publishers, one after the other.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>? {
    // What has all its values at once has sent them before the next one comes.
    let children = Publishers.FlatMap(upstream: upstream, maxPublishers: .unlimited) { $0 }
    return unsafe children._handOver(take)
  }
}
