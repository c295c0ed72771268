extension Publisher {
  /// Republishes at most one value an interval: the latest that came, or the first.
  ///
  ///     source                      1-2345----6|
  ///     throttle(3, latest: true)   1--3--5---6--|
  ///     throttle(3, latest: false)  1--2--4---6--|
  ///
  /// Values come on `scheduler`, the first at once, each other at the earliest one interval after
  /// the one before it. The end comes with a value that waits, or else when a value might. The
  /// upstream is asked for everything; what comes while there is no demand is lost.
  public func throttle<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride,
    scheduler: S,
    latest: Bool
  ) -> Publishers.Throttle<Self, S> {
    Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
  }

  /// As `throttle(for:scheduler:latest:)`, and calls `onDrop` with each value that comes while
  /// there is no demand.
  @_disfavoredOverload
  public func throttle<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride,
    scheduler: S,
    latest: Bool,
    onDrop: @escaping (Output) -> Void
  ) -> Publishers.Throttle<Self, S> {
    var throttle = throttle(for: interval, scheduler: scheduler, latest: latest)
    throttle.onDrop = onDrop
    return throttle
  }
}

extension Publishers {
  /// See `throttle(for:scheduler:latest:)`.
  public struct Throttle<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are thinned out.
    public let upstream: Upstream
    /// How long it is from one value to the next, at least.
    public let interval: Context.SchedulerTimeType.Stride
    /// What keeps the time, and where values and the end come.
    public let scheduler: Context
    /// Whether the last value of an interval is republished, or else the first.
    public let latest: Bool
    var onDrop: ((Output) -> Void)?

    /// Creates a publisher of one value of `upstream` an `interval` at most.
    public init(
      upstream: Upstream,
      interval: Context.SchedulerTimeType.Stride,
      scheduler: Context,
      latest: Bool
    ) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
      self.latest = latest
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Inner(subscriber, self))
    }
  }
}

extension Publishers.Throttle {
  private final class Inner<Downstream: Subscriber>: TimedSubscription<Downstream, Context>,
    Subscriber
  where Downstream.Input == Output, Downstream.Failure == Failure {
    typealias Input = Upstream.Output
    typealias Failure = Upstream.Failure

    private let latest: Bool
    private let onDrop: ((Input) -> Void)?
    // The lock guards these.
    /// What is sent next.
    private var held: Input?
    private var completion: Subscribers.Completion<Failure>?
    private var isScheduled = false
    /// When the last value was sent.
    private var last: Context.SchedulerTimeType?

    init(_ downstream: Downstream, _ throttle: Publishers.Throttle<Upstream, Context>) {
      latest = throttle.latest
      onDrop = throttle.onDrop
      super.init(downstream, throttle.scheduler, throttle.interval, nil)
      // Combine asks for the time here and at the subscription, which a scheduler can see.
      _ = scheduler.now
    }

    override var description: String { "Throttle" }

    override var isCancellableEarly: Bool { true }

    func receive(subscription: any Subscription) {
      guard start(subscription) else { return }
      _ = scheduler.now
      introduce()
      lock.withLock { state.upstream }?.request(.unlimited)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      guard lock.withLock({ isOpen }) else { return .none }
      let now = scheduler.now
      var value: Input? = input
      let (isFirst, isLost) = lock.withLock {
        guard isOpen, state.demand > 0, latest || !isScheduled else {
          return (false, isOpen && state.demand == 0)
        }
        swap(&held, &value)
        defer { isScheduled = true }
        return (!isScheduled, false)
      }
      if isLost { onDrop?(input) }
      if isFirst { schedule(now) }
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      guard close() else { return }
      let now = scheduler.now
      let isFirst = lock.withLock {
        self.completion = completion
        defer { isScheduled = true }
        return !isScheduled
      }
      if isFirst { schedule(now) }
    }

    /// Sends at once, or as soon as an interval has passed since the last value.
    private func schedule(_ now: Context.SchedulerTimeType) {
      guard let last = lock.withLock({ last }), last.distance(to: now) < interval else {
        return scheduler.schedule { self.send() }
      }
      scheduler.schedule(
        after: last.advanced(by: interval),
        tolerance: scheduler.minimumTolerance
      ) { self.send() }
    }

    private func send() {
      let (isOver, isLast) = lock.withLock { (state.downstream == nil, completion != nil) }
      guard !isOver else { return }
      let now = isLast ? nil : scheduler.now
      lock.withLock {
        last = now
        isScheduled = false
        if let value = held.take() {
          state.demand -= 1
          post(.value(value))
        }
        if let completion = completion.take() { post(.completion(completion)) }
      }
      deliver()
    }

    override func release() {
      var old: Input?
      lock.withLock { swap(&held, &old) }
    }
  }
}
