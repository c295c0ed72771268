extension ConnectablePublisher {
  /// Connects with the first subscriber, and disconnects when the last one cancels.
  ///
  /// Demand and the end pass through; an end does not disconnect. The next first subscriber
  /// connects again.
  @inlinable
  public func autoconnect() -> Publishers.Autoconnect<Self> {
    Publishers.Autoconnect(upstream: self)
  }
}

extension Publishers {
  /// See `autoconnect()`.
  public final class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher that is connected and disconnected.
    public let upstream: Upstream

    private let lock = Lock()
    private var subscribers = 0
    /// Whether somebody has connected, or is about to.
    private var isConnected = false
    private var connection: (any Cancellable)?

    /// Creates a publisher that connects `upstream` while it has subscribers.
    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    /// Attaches `subscriber` to the upstream, then connects that if it is not connected.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      join()
      upstream.receive(subscriber: _AutoconnectSubscriber(self, subscriber))
      let upstream = upstream
      connectIfWanted { upstream.connect() }
    }

    @usableFromInline
    func join() { lock.withLock { subscribers += 1 } }

    /// Connects unless it is done already, or the subscriber has left at once.
    ///
    /// The closure is of where the types are known: what subscribes there is made for them.
    @usableFromInline
    func connectIfWanted(_ connect: () -> any Cancellable) {
      let mayConnect = lock.withLock {
        guard subscribers > 0, !isConnected else { return false }
        isConnected = true
        return true
      }
      guard mayConnect else { return }
      let connection = connect()
      let isWanted = lock.withLock {
        if subscribers > 0 { self.connection = connection } else { isConnected = false }
        return subscribers > 0
      }
      if isWanted { return }
      connection.cancel()
      connectIfWanted(connect)  // for who has come in between
    }

    fileprivate func left() {
      let connection: (any Cancellable)? = lock.withLock {
        subscribers -= 1
        guard subscribers == 0, let connection = self.connection else { return nil }
        isConnected = false
        self.connection = nil
        return connection
      }
      connection?.cancel()
    }
  }
}

@frozen
@usableFromInline
struct _AutoconnectSubscriber<Upstream: ConnectablePublisher, Downstream: Subscriber>: Subscriber,
  _SelfDescribing
{
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let parent: Publishers.Autoconnect<Upstream>
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ parent: Publishers.Autoconnect<Upstream>, _ downstream: Downstream) {
    self.parent = parent
    self.downstream = downstream
  }

  @usableFromInline
  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @usableFromInline
  var description: String { "Autoconnect" }

  @usableFromInline
  var _children: [Mirror.Child] { [("parent", parent), ("downstream", downstream)] }

  @usableFromInline
  func receive(subscription: any Subscription) {
    let parent = parent
    let leaving = LeavingSubscription(subscription) { parent.left() }
    downstream.receive(subscription: leaving)
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(input) }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
}

/// The upstream's subscription by all appearances, which tells when it is cancelled.
private final class LeavingSubscription: Subscription, CustomStringConvertible,
  CustomPlaygroundDisplayConvertible
{
  private let upstream: any Subscription
  private let lock = Lock()
  private var leave: (() -> Void)?

  init(_ upstream: any Subscription, leave: @escaping () -> Void) {
    self.upstream = upstream
    self.leave = leave
  }

  var combineIdentifier: CombineIdentifier { upstream.combineIdentifier }
  var description: String { String(describing: upstream) }
  var playgroundDescription: Any { description }

  func request(_ demand: Subscribers.Demand) { upstream.request(demand) }

  func cancel() {
    let leave = lock.withLock { self.leave.take() }
    upstream.cancel()
    leave?()
  }
}
