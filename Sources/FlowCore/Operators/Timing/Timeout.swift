extension Publisher {
  /// Ends when no value has come for `interval`.
  ///
  ///     source         -1-2---------3-|
  ///     timeout(4)     -1-2---|
  ///
  /// The wait begins with the subscription, and again with the first request and each value. When
  /// it is over the upstream is cancelled, and the downstream is sent `customError`, or the end if
  /// there is none. Everything comes on `scheduler`, in order; demand passes through at once. A
  /// scheduler for which nothing is later (`ImmediateScheduler`) traps.
  public func timeout<S: Scheduler>(
    _ interval: S.SchedulerTimeType.Stride,
    scheduler: S,
    options: S.SchedulerOptions? = nil,
    customError: (() -> Failure)? = nil
  ) -> Publishers.Timeout<Self, S> {
    Publishers.Timeout(
      upstream: self,
      interval: interval,
      scheduler: scheduler,
      options: options,
      customError: customError
    )
  }
}

extension Publishers {
  /// See `timeout(_:scheduler:options:customError:)`.
  public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are waited for.
    public let upstream: Upstream
    /// How long the wait for a value is.
    public let interval: Context.SchedulerTimeType.Stride
    /// What keeps the time, and where values and the end come.
    public let scheduler: Context
    /// What the scheduler is given with each action.
    public let options: Context.SchedulerOptions?
    /// Makes the failure when the time is over, on the scheduler; without it the end is `finished`.
    public let customError: (() -> Failure)?

    /// Creates a publisher that ends when `upstream` has not published a value for `interval`.
    public init(
      upstream: Upstream,
      interval: Context.SchedulerTimeType.Stride,
      scheduler: Context,
      options: Context.SchedulerOptions?,
      customError: (() -> Failure)?
    ) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
      self.options = options
      self.customError = customError
    }

    /// Attaches `subscriber`; traps if the scheduler is an `ImmediateScheduler`, which cannot wait.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      precondition(!(scheduler is ImmediateScheduler), "timeout needs a scheduler that can wait")
      upstream.receive(subscriber: Inner(subscriber, self))
    }
  }
}

extension Publishers.Timeout {
  private final class Inner<Downstream: Subscriber>: TimedSubscription<Downstream, Context>,
    Subscriber
  where Downstream.Input == Output, Downstream.Failure == Failure {
    typealias Input = Upstream.Output
    typealias Failure = Upstream.Failure

    private let customError: (() -> Failure)?
    // The lock guards these.
    private var isRequested = false
    private var unwanted: _HeldSubscription?

    init(_ downstream: Downstream, _ timeout: Publishers.Timeout<Upstream, Context>) {
      customError = timeout.customError
      super.init(downstream, timeout.scheduler, timeout.interval, timeout.options)
    }

    override var description: String { "Timeout" }

    func receive(subscription: any Subscription) {
      guard start(subscription) else { return }
      restartTimer()
      introduce()
    }

    override func request(_ demand: Subscribers.Demand) {
      let isFirst = lock.withLock {
        guard isOpen else { return false }
        defer { isRequested = true }
        return !isRequested
      }
      if isFirst { restartTimer() }
      // It is for the upstream to say that a demand of 0 is none.
      lock.withLock { isOpen ? state.upstream : nil }?.request(demand)
    }

    override func receive(more: Subscribers.Demand, after value: Input) {
      lock.withLock { isOpen ? state.upstream : nil }?.request(more)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      let isWanted = restartTimer { enqueue(.value(input)) }
      if isWanted { scheduler.schedule(options: options) { self.deliverOneMore() } }
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      guard close() else { return }
      lock.withLock { enqueue(.completion(completion)) }
      scheduler.schedule(options: options) { self.deliverOneMore() }
    }

    override func timeIsUp() {
      state.isEnding = true
      unwanted = state.upstream.take()
    }

    /// What waits for the scheduler is still sent before the end.
    override func afterTimeIsUp() {
      lock.withLock { unwanted.take() }?.cancel()
      let completion = customError.map { .failure($0()) } ?? Subscribers.Completion.finished
      lock.withLock { post(.completion(completion)) }
      deliver()
    }
  }
}
