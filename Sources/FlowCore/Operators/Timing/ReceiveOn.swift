public import Synchronization

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
    public func receive<S: Subscriber>(subscriber: S)
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
final class _ReceiveOnSubscription<Downstream: Subscriber>: _ControlSubscription, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let schedule: (@escaping () -> Void) -> Void
  @usableFromInline let lock = Lock()
  @usableFromInline let isOver = Atomic<Bool>(false)

  // The lock guards these (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline var state = State()

  // These belong to the run that delivers, or to whoever ends it before.
  @safe @exclusivity(unchecked) @usableFromInline var delivery: Delivery

  @usableFromInline
  struct State {
    @usableFromInline var upstream: (any Subscription)?
    @usableFromInline var arrived: ContiguousArray<Input> = []
    @usableFromInline var hasStarted = false
    @usableFromInline var isScheduled = false
    @usableFromInline var isDelivering = false
    /// Whether a run came while another one was delivering.
    @usableFromInline var isDueAgain = false
    @usableFromInline var completion: Subscribers.Completion<Failure>?

    @inlinable init() {}
  }

  @usableFromInline
  struct Delivery {
    @usableFromInline var due: ContiguousArray<Input> = []
    @usableFromInline var downstream: Downstream?

    @inlinable @inline(__always)
    init(_ downstream: Downstream) { self.downstream = downstream }
  }

  @inlinable
  init(_ downstream: Downstream, schedule: @escaping (@escaping () -> Void) -> Void) {
    delivery = Delivery(downstream)
    self.schedule = schedule
    super.init { object, count in
      // memory 7
      let me = unsafe unsafeDowncast(object, to: _ReceiveOnSubscription<Downstream>.self)
      if count < 0 { return me.end() }
      me.lock.withLock { me.state.upstream }?.request(Subscribers.Demand(_count: count))
    }
  }

  @usableFromInline
  override var description: String { "ReceiveOn" }

  /// It passes it on.
  @usableFromInline
  override var _takesNone: Bool { true }

  @inlinable
  func receive(subscription: any Subscription) {
    let isWanted = lock.withLock {
      guard !state.hasStarted, !isOver.load(ordering: .relaxed) else { return false }
      state.hasStarted = true
      state.upstream = subscription
      return true
    }
    guard isWanted else { return subscription.cancel() }
    delivery.downstream?.receive(subscription: self)
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    let isFirst = lock.withLock {
      guard state.hasStarted, state.completion == nil, !isOver.load(ordering: .relaxed) else {
        return false
      }
      state.arrived.append(input)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { schedule { self.run() } }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    let isFirst = lock.withLock {
      guard state.hasStarted, state.completion == nil, !isOver.load(ordering: .relaxed) else {
        return false
      }
      state.completion = completion
      state.upstream = nil
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { schedule { self.run() } }
  }

  @inlinable
  func run() {
    var mayDeliver = lock.withLock {
      state.isScheduled = false
      state.isDueAgain = state.isDelivering
      state.isDelivering = true
      return !state.isDueAgain
    }
    while mayDeliver {
      let completion = lock.withLock {
        swap(&state.arrived, &delivery.due)
        return state.completion
      }
      deliver(completion)
      mayDeliver = lock.withLock {
        state.isDelivering = state.isDueAgain
        state.isDueAgain = false
        return state.isDelivering
      }
    }
    if isOver.load(ordering: .acquiring) { release() }
  }

  @inlinable
  func deliver(_ completion: Subscribers.Completion<Failure>?) {
    guard let downstream = delivery.downstream else { return }
    for value in delivery.due {
      if isOver.load(ordering: .relaxed) { return }
      let more = downstream.receive(value)
      if more > 0 { request(more) }
    }
    delivery.due.removeAll(keepingCapacity: true)
    guard let completion, !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
    downstream.receive(completion: completion)
  }

  @inlinable
  func end() {
    // Nobody has been given it to cancel before there is an upstream.
    let upstream: (any Subscription)? = lock.withLock {
      guard state.hasStarted, !isOver.exchange(true, ordering: .acquiringAndReleasing) else {
        return nil
      }
      defer { state.upstream = nil }
      return state.upstream
    }
    upstream?.cancel()
    release()
  }

  /// Lets go of everything once it is over, unless a run is delivering, which does it then.
  @inlinable
  func release() {
    let old = lock.withLock {
      () -> (Downstream?, ContiguousArray<Input>, ContiguousArray<Input>)? in
      guard !state.isDelivering, isOver.load(ordering: .relaxed) else { return nil }
      defer {
        delivery.downstream = nil
        state.arrived = []
        delivery.due = []
      }
      return (delivery.downstream, state.arrived, delivery.due)
    }
    withExtendedLifetime(old) {}
  }
}
