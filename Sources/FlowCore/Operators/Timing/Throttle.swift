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
  @inlinable
  public func throttle<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride,
    scheduler: S,
    latest: Bool
  ) -> Publishers.Throttle<Self, S> {
    Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
  }

  /// As `throttle(for:scheduler:latest:)`, and calls `onDrop` with each value that comes while
  /// there is no demand.
  @inlinable
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
    @usableFromInline var onDrop: ((Output) -> Void)?

    /// Creates a publisher of one value of `upstream` an `interval` at most.
    @inlinable
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

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      // Combine asks for the time here and at the subscription, which a scheduler can see.
      _ = scheduler.now
      let rules = Rules<S>(latest: latest, onDrop)
      let timed = TimedSubscription(subscriber, rules, .init(), scheduler, interval, nil)
      upstream.receive(subscriber: timed)
    }
  }
}

extension Publishers.Throttle {
  @frozen
  @usableFromInline
  struct Rules<Downstream: Subscriber>: TimedRules
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline typealias Input = Upstream.Output
    @usableFromInline typealias Clock = Context

    @usableFromInline let latest: Bool
    @usableFromInline let onDrop: ((Input) -> Void)?

    @usableFromInline
    struct Kept {
      /// What is sent next.
      @usableFromInline var held: Input?
      @usableFromInline var completion: Subscribers.Completion<Failure>?
      @usableFromInline var isScheduled = false
      /// When the last value was sent.
      @usableFromInline var last: Context.SchedulerTimeType?

      @inlinable init() {}
    }

    @inlinable
    init(latest: Bool, _ onDrop: ((Input) -> Void)?) {
      self.latest = latest
      self.onDrop = onDrop
    }

    @inlinable static var name: StaticString { "Throttle" }
    @inlinable static var isCancellableEarly: Bool { true }

    @inlinable
    static func begin(_ host: Host, _ subscription: any Subscription) {
      _ = host.scheduler.now
      host.introduce()
      host.askUpstream(.unlimited)
    }

    @inlinable @inline(__always)
    static func take(_ input: Input, _ host: Host) -> Subscribers.Demand {
      guard host.lock.withLock({ host.isOpen }) else { return .none }
      let now = host.scheduler.now
      var value: Input? = input
      let (isFirst, isLost) = host.lock.withLock {
        let isScheduled = host.kept.isScheduled
        guard host.isOpen, host.state.demand > 0, host.rules.latest || !isScheduled else {
          return (false, host.isOpen && host.state.demand == 0)
        }
        swap(&host.kept.held, &value)
        host.kept.isScheduled = true
        return (!isScheduled, false)
      }
      if isLost { host.rules.onDrop?(input) }
      if isFirst { schedule(host, now) }
      return .none
    }

    @inlinable
    static func take(_ completion: Subscribers.Completion<Failure>, _ host: Host) {
      let now = host.scheduler.now
      let isFirst = host.lock.withLock {
        host.kept.completion = completion
        defer { host.kept.isScheduled = true }
        return !host.kept.isScheduled
      }
      if isFirst { schedule(host, now) }
    }

    /// Sends at once, or as soon as an interval has passed since the last value.
    @inlinable
    static func schedule(_ host: Host, _ now: Context.SchedulerTimeType) {
      guard let last = host.lock.withLock({ host.kept.last }),
        last.distance(to: now) < host.interval
      else { return host.scheduleLine() }
      host.scheduler._schedule(
        host,
        after: last.advanced(by: host.interval),
        tolerance: host.scheduler.minimumTolerance,
        options: nil
      )
    }

    @inlinable
    static func lineIsDue(_ host: Host) {
      guard !host.uses.isClosed else { return }
      let isLast = host.lock.withLock { host.kept.completion != nil }
      let now: Context.SchedulerTimeType? = isLast ? nil : host.scheduler.now
      host.lock.withLock {
        host.kept.last = now
        host.kept.isScheduled = false
        if let value = host.kept.held.take() {
          host.state.demand -= 1
          host.post(.value(value))
        }
        if let completion = host.kept.completion.take() { host.post(.completion(completion)) }
      }
      host.deliver()
    }

    @inlinable
    static func release(_ host: Host) {
      var old: Input?
      host.lock.withLock { swap(&host.kept.held, &old) }
    }
  }
}
