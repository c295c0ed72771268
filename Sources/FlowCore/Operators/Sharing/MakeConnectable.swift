extension Publisher where Failure == Never {
  /// Publishes nothing before `connect()`.
  ///
  /// All subscribers share the subscription that connecting makes; one without demand misses
  /// values.
  @inlinable
  public func makeConnectable() -> Publishers.MakeConnectable<Self> {
    Publishers.MakeConnectable(upstream: self)
  }
}

extension Publishers {
  /// See `makeConnectable()`.
  public struct MakeConnectable<Upstream: Publisher>: ConnectablePublisher
  where Upstream.Failure == Never {
    public typealias Output = Upstream.Output
    public typealias Failure = Never

    @usableFromInline let inner: Multicast<Upstream, PassthroughSubject<Output, Never>>

    /// Creates a publisher that subscribes to `upstream` when it is connected.
    @inlinable
    public init(upstream: Upstream) { inner = upstream.multicast(subject: PassthroughSubject()) }

    /// Attaches `subscriber`, which is sent no value before `connect()`.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Never {
      inner.receive(subscriber: subscriber)
    }

    /// Subscribes to the upstream, until the result is cancelled or released.
    @inlinable
    public func connect() -> any Cancellable { inner.connect() }
  }
}
