extension Publisher {
  /// Republishes everything on `scheduler`.
  ///
  /// Signals keep their order and never overlap; one run of the scheduler delivers all that wait.
  /// Demand passes through at once.
  @inlinable
  public func receive<S: Scheduler>(
    on scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.ReceiveOn<Self, S> {
    Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
  }
}

extension Publishers {
  /// See `receive(on:options:)`.
  public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values and end are moved.
    public let upstream: Upstream
    /// Where values and the end come.
    public let scheduler: Context
    /// What the scheduler is given with each action.
    public let options: Context.SchedulerOptions?

    /// Creates a publisher of the values and the end of `upstream`, which come on `scheduler`.
    ///
    /// There is no bound to what waits for the scheduler but the demand.
    @inlinable
    public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
      self.upstream = upstream
      self.scheduler = scheduler
      self.options = options
    }

    /// Attaches `subscriber`; its subscription comes where the upstream sends it, all else on the
    /// scheduler.
    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let (scheduler, options) = (scheduler, options)
      let delivery = _ReceiveOnSubscription(subscriber) { action in
        scheduler.schedule(options: options, action)
      }
      upstream.receive(subscriber: delivery)
    }
  }
}

/// What waits for the scheduler, and goes in one run.
///
/// The upstream fills one array while the downstream is sent the other, so that both pay for the
/// lock once a run and not once a value. On a concurrent scheduler, too, only one run delivers;
/// one that comes meanwhile is not lost, which Combine gets wrong.
@usableFromInline
final class _ReceiveOnSubscription<Downstream: Subscriber>: LinkSubscription<Downstream>, Subscriber
{
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let schedule: (@escaping () -> Void) -> Void
  @usableFromInline let lock = Lock()
  // memory 5: the lock guards this, and the last belongs to the run that delivers.
  @safe @exclusivity(unchecked) @usableFromInline var state = State()
  @safe @exclusivity(unchecked) @usableFromInline var due: ContiguousArray<Input> = []

  @usableFromInline
  struct State {
    @usableFromInline var arrived: ContiguousArray<Input> = []
    @usableFromInline var isScheduled = false
    @usableFromInline var isDelivering = false
    /// Whether a run came while another one was delivering.
    @usableFromInline var isDueAgain = false
    @usableFromInline var completion: Subscribers.Completion<Failure>?

    @inlinable init() {}
  }

  @inlinable @inline(__always)
  init(_ downstream: Downstream, schedule: @escaping (@escaping () -> Void) -> Void) {
    self.schedule = schedule
    super.init(downstream) { object, count in
      let me = unsafe unsafeDowncast(object, to: _ReceiveOnSubscription.self)  // memory 7
      if count >= 0 {
        me.askUpstream(Subscribers.Demand(_count: count))
      } else if me.uses.hasStarted {
        me.close()  // nobody has been given it to cancel before there is an upstream
      }
    }
  }

  @usableFromInline
  override var description: String { "ReceiveOn" }

  /// It passes it on.
  @usableFromInline
  override var _takesNone: Bool { true }

  @inlinable
  func receive(subscription: any Subscription) { introduce(with: subscription) }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    let isFirst = lock.withLock {
      guard isOpen else { return false }
      state.arrived.append(input)
      return isFirstToCome()
    }
    if isFirst { schedule { self.run() } }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    let isFirst = lock.withLock {
      guard isOpen else { return false }
      state.completion = completion
      _ = uses.endUpstream()
      return isFirstToCome()
    }
    if isFirst { schedule { self.run() } }
  }

  /// Whether the upstream is listened to; asked with the lock held.
  @inlinable @inline(__always)
  var isOpen: Bool {
    guard uses.hasStarted, !uses.isClosed else { return false }
    if case .none = state.completion { return true }
    return false
  }

  @inlinable @inline(__always)
  func isFirstToCome() -> Bool {
    if state.isScheduled { return false }
    state.isScheduled = true
    return true
  }

  @inlinable
  func run() {
    guard uses.begin() else { return }
    defer { endUse() }
    var mayDeliver = lock.withLock {
      state.isScheduled = false
      state.isDueAgain = state.isDelivering
      state.isDelivering = true
      return !state.isDueAgain
    }
    while mayDeliver {
      let completion = lock.withLock {
        swap(&state.arrived, &due)
        return state.completion
      }
      deliver(completion)
      mayDeliver = lock.withLock {
        state.isDelivering = state.isDueAgain
        state.isDueAgain = false
        return state.isDelivering
      }
    }
  }

  @inlinable
  func deliver(_ completion: Subscribers.Completion<Failure>?) {
    var index = 0
    while index < due.count {
      if uses.isClosed { return }
      let more = send(due[index])
      index &+= 1
      if more > 0 { askUpstream(more) }
    }
    due.removeAll(keepingCapacity: true)
    if let completion { finish(completion) }
  }

  @usableFromInline
  override func release() {
    let old = lock.withLock {
      defer {
        state.arrived = []
        due = []
      }
      return (state.arrived, due)
    }
    super.release()
    withExtendedLifetime(old) {}
  }
}
