extension Publisher {
  /// Publishes to all subscribers through one subject, made when it is first needed.
  ///
  /// Nothing is published before `connect()`; the upstream is subscribed to once per connection.
  @inlinable
  public func multicast<S: Subject>(
    _ createSubject: @escaping () -> S
  ) -> Publishers.Multicast<Self, S> where S.Output == Output, S.Failure == Failure {
    Publishers.Multicast(upstream: self, createSubject: createSubject)
  }

  /// Publishes to all subscribers through `subject`; see `multicast(_:)`.
  @inlinable
  public func multicast<S: Subject>(subject: S) -> Publishers.Multicast<Self, S>
  where S.Output == Output, S.Failure == Failure {
    multicast { subject }
  }

  /// Shares one subscription to the upstream among all subscribers.
  ///
  /// The upstream is subscribed to with the first subscriber, asked for everything, and cancelled
  /// with the last one; a subscriber without demand misses values.
  @inlinable
  public func share() -> Publishers.Share<Self> { Publishers.Share(upstream: self) }
}

extension Publishers {
  /// See `multicast(_:)`.
  public final class Multicast<Upstream: Publisher, SubjectType: Subject>: ConnectablePublisher
  where SubjectType.Output == Upstream.Output, SubjectType.Failure == Upstream.Failure {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher that all subscribers share.
    public let upstream: Upstream
    /// Makes the subject when the first subscriber comes, or with `connect()` if that is earlier.
    public let createSubject: () -> SubjectType

    private let lock = Lock()
    private var subject: SubjectType?

    /// Creates a publisher of the values of `upstream`, sent through one subject.
    @inlinable
    public init(upstream: Upstream, createSubject: @escaping () -> SubjectType) {
      self.upstream = upstream
      self.createSubject = createSubject
    }

    /// Attaches `subscriber` to the subject, which is made if there is none yet.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      currentSubject().receive(subscriber: _MulticastSubscriber(subscriber))
    }

    /// Subscribes the subject to the upstream, until the result is cancelled or released.
    @inlinable
    public func connect() -> any Cancellable { upstream.subscribe(currentSubject()) }

    @usableFromInline
    func currentSubject() -> SubjectType {
      if let subject = lock.withLock({ subject }) { return subject }
      let new = createSubject()
      return lock.withLock {
        if let subject { return subject }
        subject = new
        return new
      }
    }
  }

  /// See `share()`.
  public final class Share<Upstream: Publisher>: Publisher, Equatable {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher that all subscribers share.
    public let upstream: Upstream
    @usableFromInline
    let shared: Autoconnect<Multicast<Upstream, PassthroughSubject<Output, Failure>>>

    /// Creates a publisher that subscribes to `upstream` once for all of its subscribers.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
      shared = upstream.multicast { PassthroughSubject() }.autoconnect()
    }

    /// Attaches `subscriber`; the first one makes this subscribe to the upstream.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      shared.receive(subscriber: subscriber)
    }

    /// Whether both are the same object.
    @inlinable
    public static func == (lhs: Share, rhs: Share) -> Bool { lhs === rhs }
  }
}

@usableFromInline
final class _MulticastSubscriber<Downstream: Subscriber>: Subscriber, Subscription, _SelfDescribing
{
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let lock = Lock()
  @usableFromInline var downstream: Downstream?
  @usableFromInline var upstream: (any Subscription)?

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  @usableFromInline
  var description: String { "Multicast" }

  @usableFromInline
  func receive(subscription: any Subscription) {
    let downstream: Downstream? = lock.withLock {
      guard upstream == nil, let downstream = self.downstream else { return nil }
      upstream = subscription
      return downstream
    }
    guard let downstream else { return subscription.cancel() }
    downstream.receive(subscription: self)
  }

  /// Asks for more instead of returning it: a subject may be anything.
  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    let downstream = lock.withLock { upstream == nil ? nil : self.downstream }
    guard let more = downstream?.receive(input), more > 0 else { return .none }
    lock.withLock { upstream }?.request(more)
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard lock.withLock({ upstream != nil }) else { return }
    end().downstream?.receive(completion: completion)
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    lock.withLock { upstream }?.request(demand)  // which traps if it is for nothing
  }

  @usableFromInline
  func cancel() { end().upstream?.cancel() }

  private func end() -> (upstream: (any Subscription)?, downstream: Downstream?) {
    lock.withLock {
      defer {
        upstream = nil
        downstream = nil
      }
      return (upstream, downstream)
    }
  }
}
