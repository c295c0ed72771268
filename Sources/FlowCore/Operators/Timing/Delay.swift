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
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let (interval, tolerance, scheduler, options) = (interval, tolerance, scheduler, options)
      let delivery = ScheduledDelivery(subscriber) { line in
        scheduler._schedule(
          line,
          after: scheduler.now.advanced(by: interval),
          tolerance: tolerance,
          options: options
        )
      }
      upstream.receive(subscriber: delivery)
    }
  }
}
