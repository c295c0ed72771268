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
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      currentSubject().receive(subscriber: _MulticastSubscriber(subscriber))
    }

    /// Subscribes the subject to the upstream, until the result is cancelled or released.
    @inlinable
    public func connect() -> any Cancellable {
      let subscriber = SubjectSubscriber(_KeptSubject(currentSubject()))
      upstream.subscribe(subscriber)
      return AnyCancellable(subscriber)
    }

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
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      shared.receive(subscriber: subscriber)
    }

    /// Whether both are the same object.
    @inlinable
    public static func == (lhs: Share, rhs: Share) -> Bool { lhs === rhs }
  }
}

@usableFromInline
final class _MulticastSubscriber<Downstream: Subscriber>: LinkSubscription<Downstream>, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @inlinable @inline(__always)
  init(_ downstream: Downstream) {
    super.init(downstream) { object, count in
      let me = unsafe unsafeDowncast(object, to: _MulticastSubscriber.self)  // memory 7
      if count < 0 { me.close() } else { me.askUpstream(Subscribers.Demand(_count: count)) }
    }
  }

  @usableFromInline
  override var description: String { "Multicast" }

  /// It passes it on.
  @usableFromInline
  override var _takesNone: Bool { true }

  @inlinable
  func receive(subscription: any Subscription) { introduce(with: subscription) }

  /// Asks for more instead of returning it: a subject may be anything.
  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard uses.hasStarted, uses.begin() else { return .none }
    defer { endUse() }
    let more = send(input)
    if more > 0 { askUpstream(more) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    if uses.hasStarted { pass(completion) }
  }
}
