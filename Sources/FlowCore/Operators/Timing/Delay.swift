extension Publisher {
  /// Republishes everything `interval` later.
  ///
  ///     source         --1--2--|
  ///     delay(3)       -----1--2--|
  ///
  /// Values and the end, finished or failed, come `interval` after they did upstream, in order and
  /// on `scheduler`. Demand passes through at once.
  @inlinable
  public func delay<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride,
    tolerance: S.SchedulerTimeType.Stride? = nil,
    scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.Delay<Self, S> {
    Publishers.Delay(
      upstream: self,
      interval: interval,
      tolerance: tolerance ?? scheduler.minimumTolerance,
      scheduler: scheduler,
      options: options
    )
  }
}

extension Publishers {
  /// See `delay(for:tolerance:scheduler:options:)`.
  public struct Delay<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values and end are delayed.
    public let upstream: Upstream
    /// How much later they come.
    public let interval: Context.SchedulerTimeType.Stride
    /// How much later yet they may come, if that suits the scheduler.
    public let tolerance: Context.SchedulerTimeType.Stride
    /// What keeps the time, and where values and the end come.
    public let scheduler: Context
    /// What the scheduler is given with each action.
    public let options: Context.SchedulerOptions?

    /// Creates a publisher of the values and the end of `upstream`, each `interval` later.
    @inlinable
    public init(
      upstream: Upstream,
      interval: Context.SchedulerTimeType.Stride,
      tolerance: Context.SchedulerTimeType.Stride,
      scheduler: Context,
      options: Context.SchedulerOptions? = nil
    ) {
      self.upstream = upstream
      self.interval = interval
      self.tolerance = tolerance
      self.scheduler = scheduler
      self.options = options
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let rules = _DelayRules<S, Context>(tolerance)
      let timed = TimedSubscription(subscriber, rules, (), scheduler, interval, options)
      upstream.receive(subscriber: timed)
    }
  }
}

@frozen
@usableFromInline
struct _DelayRules<Downstream: Subscriber, Clock: Scheduler>: DelayingRules {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Kept = Void

  @usableFromInline let tolerance: Clock.SchedulerTimeType.Stride

  @inlinable
  init(_ tolerance: Clock.SchedulerTimeType.Stride) { self.tolerance = tolerance }

  @inlinable static var name: StaticString { "Delay" }

  @inlinable
  static func begin(_ host: Host, _ subscription: any Subscription) { host.introduce() }

  /// The upstream says whether a request for nothing traps.
  @inlinable
  static func ask(_ demand: Subscribers.Demand, _ host: Host) { host.askUpstream(demand) }

  @inlinable @inline(__always)
  static func take(_ input: Input, _ host: Host) -> Subscribers.Demand {
    let isWanted = host.lock.withLock {
      guard host.isOpen else { return false }
      host.enqueue(.value(input))
      return true
    }
    if isWanted { schedule(host) }
    return .none
  }

  @inlinable
  static func take(_ completion: Subscribers.Completion<Downstream.Failure>, _ host: Host) {
    host.lock.withLock { host.enqueue(.completion(completion)) }
    schedule(host)
  }

  @inlinable
  static func schedule(_ host: Host) {
    host.scheduler._schedule(
      host,
      after: host.scheduler.now.advanced(by: host.interval),
      tolerance: host.rules.tolerance,
      options: host.options
    )
  }
}

/// Rules by which values do nothing but wait for their time.
@usableFromInline
protocol DelayingRules: TimedRules {}

extension TimedSubscription: ValueHolder where Rules: DelayingRules {
  @usableFromInline var heldCount: Int {
    lock.withLock { max(state.signals.count - (state.isEnding ? 1 : 0), 0) }
  }
}
