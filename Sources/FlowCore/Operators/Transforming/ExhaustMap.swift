extension Publisher {
  /// Turns a value into a publisher and republishes that one's values; what comes meanwhile is
  /// ignored.
  ///
  ///     source                                --1--2--3-----4----|
  ///     exhaustMap { [$0, $0].delayed }       ----1--1--------4--4|
  ///
  /// This publisher is asked for everything, and the one made of a value for the demand that is
  /// still unmet. It finishes when this publisher and the one made last have; a failure of either
  /// ends it at once.
  @inlinable
  @_disfavoredOverload
  public func exhaustMap<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> Publishers.ExhaustMap<P, Self> where P.Failure == Failure {
    Publishers.ExhaustMap(upstream: self, transform: transform)
  }

  /// Turns a value into a publisher that cannot fail; what comes meanwhile is ignored.
  @inlinable
  @_disfavoredOverload
  public func exhaustMap<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> Publishers.ExhaustMap<Publishers.SetFailureType<P, Failure>, Self>
  where P.Failure == Never {
    exhaustMap { transform($0).setFailureType(to: Failure.self) }
  }

  /// As `exhaustMap(_:)`, and calls `onDrop` with each value that is ignored.
  @inlinable
  @_disfavoredOverload
  public func exhaustMap<P: Publisher>(
    onDrop: @escaping (Output) -> Void,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.ExhaustMap<P, Self> where P.Failure == Failure {
    var exhaustMap = Publishers.ExhaustMap(upstream: self, transform: transform)
    exhaustMap.onDrop = onDrop
    return exhaustMap
  }
}

extension Publisher where Failure == Never {
  /// Turns a value into a publisher, where neither can fail; what comes meanwhile is ignored.
  @inlinable
  @_disfavoredOverload
  public func exhaustMap<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> Publishers.ExhaustMap<P, Self> where P.Failure == Never {
    Publishers.ExhaustMap(upstream: self, transform: transform)
  }

  /// Turns a value of a publisher that cannot fail into one that can; what comes meanwhile is
  /// ignored.
  @inlinable
  @_disfavoredOverload
  public func exhaustMap<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> Publishers.ExhaustMap<P, Publishers.SetFailureType<Self, P.Failure>> {
    setFailureType(to: P.Failure.self).exhaustMap(transform)
  }
}

extension Publishers {
  /// See `exhaustMap(_:)`.
  public struct ExhaustMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
  where NewPublisher.Failure == Upstream.Failure {
    public typealias Output = NewPublisher.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are turned into publishers.
    public let upstream: Upstream
    /// Makes a publisher of a value.
    public let transform: (Upstream.Output) -> NewPublisher
    @usableFromInline var onDrop: ((Upstream.Output) -> Void)?

    /// Creates a publisher that turns a value of `upstream` into a publisher, and ignores what comes
    /// until that one has ended.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> NewPublisher) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Sends `subscriber` its subscription, then subscribes to the upstream.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let inner = _ExhaustSubscription(subscriber, transform, onDrop)
      subscriber.receive(subscription: inner)
      upstream.receive(subscriber: inner)
    }
  }
}
