extension Publisher {
  /// Turns each value into a publisher, and republishes what those publish.
  ///
  ///     source                              --1-----2--|
  ///     flatMap { n in [n, n].publisher }   --(11)--(22)|
  ///
  /// The upstream is asked for `maxPublishers` at once, and for one more whenever a publisher has
  /// ended and its last value has been taken. Under a limited demand each publisher is asked for
  /// one value at a time; values that wait are sent in order of arrival. A failure ends everything
  /// at once; finishing waits for the upstream and all publishers.
  @inlinable @inline(__always)
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where P.Failure == Failure {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }

  /// Turns each value into a publisher that cannot fail.
  @inlinable @inline(__always)
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
    flatMap(maxPublishers: maxPublishers) { transform($0).setFailureType(to: Failure.self) }
  }
}

extension Publisher where Failure == Never {
  /// Turns each value into a publisher, where neither can fail.
  @inlinable @inline(__always)
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }

  /// Turns each value of a publisher that cannot fail into one that can.
  @inlinable @inline(__always)
  public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
    setFailureType(to: P.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
  }
}

extension Publishers {
  /// See `flatMap(maxPublishers:_:)`.
  public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
  where NewPublisher.Failure == Upstream.Failure {
    /// The values of the publishers that `transform` makes.
    public typealias Output = NewPublisher.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are turned into publishers.
    public let upstream: Upstream
    /// How many publishers may be subscribed to at a time; `.none` requests nothing upstream.
    public let maxPublishers: Subscribers.Demand
    /// Makes a publisher of a value, which is subscribed to at once.
    public let transform: (Upstream.Output) -> NewPublisher
    @usableFromInline var ceiling = Int.max
    @usableFromInline var tooMany: Failure?
    @usableFromInline var _count: _ChildCount?
    @usableFromInline var _cost = 0

    /// Creates a publisher of the values of all publishers that `transform` makes.
    ///
    /// `transform` is called on the thread that delivers the upstream's value. At most
    /// `maxPublishers` publishers are open at a time; the upstream is asked for no more values than
    /// that.
    @inlinable @inline(__always)
    public init(
      upstream: Upstream,
      maxPublishers: Subscribers.Demand,
      transform: @escaping (Upstream.Output) -> NewPublisher
    ) {
      self.upstream = upstream
      self.maxPublishers = maxPublishers
      self.transform = transform
    }

    /// The same, but that it fails with `failure` rather than hold more than `ceiling` publishers.
    ///
    /// For a host of pipelines that others have written; demand is as without it.
    package func failing(with failure: Failure, above ceiling: Int) -> Self {
      var bounded = self
      bounded.ceiling = ceiling
      bounded.tooMany = failure
      return bounded
    }

    /// Sends `subscriber` its subscription, then subscribes to the upstream.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let inner = _FlatMapSubscription<Upstream.Output, NewPublisher, S>(
        "FlatMap",
        subscriber,
        limit: maxPublishers._count,
        ceiling: ceiling,
        tooMany: tooMany,
        count: _count,
        cost: _cost,
        keeper: _count,
        transform: transform
      )
      subscriber.receive(subscription: inner)
      upstream.receive(subscriber: inner)
    }
  }
}

extension Publishers.FlatMap {
  /// As immediate as the upstream, if the publishers are always immediate; otherwise never.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy {
    NewPublisher._immediacy == .always ? Upstream._immediacy : .never
  }

  /// Hands over the values of one publisher after the other, until one fails; returns nil if
  /// `maxPublishers` is `.none`.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>? {
    guard NewPublisher._immediacy == .always, maxPublishers > 0 else { return nil }
    var childEnd = _ImmediateEnd<Failure>.finished
    let end = unsafe upstream._handOver { input in
      guard let end = unsafe transform(input.pointee)._handOver(take) else { return true }
      if case .finished = end { return true }
      childEnd = end
      return false
    }
    if case .stopped? = end { return childEnd }
    return end
  }
}
