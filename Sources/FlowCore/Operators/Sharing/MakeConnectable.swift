extension Publisher where Failure == Never {
  /// Publishes nothing before `connect()`.
  ///
  /// All subscribers share the subscription that connecting makes; one without demand misses
  /// values.
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

    private let inner: Multicast<Upstream, PassthroughSubject<Output, Never>>

    /// Creates a publisher that subscribes to `upstream` when it is connected.
    public init(upstream: Upstream) { inner = upstream.multicast(subject: PassthroughSubject()) }

    /// Attaches `subscriber`, which is sent no value before `connect()`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Never {
      inner.receive(subscriber: subscriber)
    }

    /// Subscribes to the upstream, until the result is cancelled or released.
    public func connect() -> any Cancellable { inner.connect() }
  }
}
