extension ConnectablePublisher {
  /// Connects with the first subscriber, and disconnects when the last one cancels.
  public func autoconnect() -> Publishers.Autoconnect<Self> {
    Publishers.Autoconnect(upstream: self)
  }
}

extension Publishers {
  /// See `autoconnect()`.
  public final class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream

    private let lock = Lock()
    private var subscribers = 0
    /// Whether somebody has connected, or is about to.
    private var isConnected = false
    private var connection: (any Cancellable)?

    public init(upstream: Upstream) { self.upstream = upstream }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      lock.withLock { subscribers += 1 }
      upstream.receive(subscriber: Inner(subscriber) { self.left() })
      connectIfWanted()
    }

    /// Connects unless it is done already, or the subscriber has left at once.
    private func connectIfWanted() {
      let mayConnect = lock.withLock {
        guard subscribers > 0, !isConnected else { return false }
        isConnected = true
        return true
      }
      guard mayConnect else { return }
      let connection = upstream.connect()
      let isWanted = lock.withLock {
        if subscribers > 0 { self.connection = connection } else { isConnected = false }
        return subscribers > 0
      }
      if isWanted { return }
      connection.cancel()
      connectIfWanted()  // for who has come in between
    }

    private func left() {
      let connection: (any Cancellable)? = lock.withLock {
        subscribers -= 1
        guard subscribers == 0, let connection = self.connection else { return nil }
        isConnected = false
        self.connection = nil
        return connection
      }
      connection?.cancel()
    }

    private final class Inner<Downstream: Subscriber>: Subscriber, Subscription,
      _SelfDescribing
    where Downstream.Input == Output, Downstream.Failure == Failure {
      private let lock = Lock()
      private var downstream: Downstream?
      private var upstream: (any Subscription)?
      private var left: (() -> Void)?

      init(_ downstream: Downstream, left: @escaping () -> Void) {
        self.downstream = downstream
        self.left = left
      }

      /// The same as without it.
      var description: String {
        lock.withLock { upstream }.map { String(describing: $0) } ?? "Autoconnect"
      }

      func receive(subscription: any Subscription) {
        let downstream: Downstream? = lock.withLock {
          guard upstream == nil, let downstream = self.downstream else { return nil }
          upstream = subscription
          return downstream
        }
        guard let downstream else { return subscription.cancel() }
        downstream.receive(subscription: self)
      }

      func receive(_ input: Output) -> Subscribers.Demand {
        lock.withLock { downstream }?.receive(input) ?? .none
      }

      func receive(completion: Subscribers.Completion<Failure>) {
        let (_, downstream, left) = end()
        left?()
        downstream?.receive(completion: completion)
      }

      func request(_ demand: Subscribers.Demand) { lock.withLock { upstream }?.request(demand) }

      func cancel() {
        let (upstream, downstream, left) = end()
        upstream?.cancel()
        left?()
        withExtendedLifetime(downstream) {}
      }

      private func end() -> ((any Subscription)?, Downstream?, (() -> Void)?) {
        lock.withLock {
          defer {
            upstream = nil
            downstream = nil
            left = nil
          }
          return (upstream, downstream, left)
        }
      }
    }
  }
}
