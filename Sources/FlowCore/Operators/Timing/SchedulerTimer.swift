extension Scheduler {
  /// Publishes the present moment every `interval`, from one interval after connecting.
  ///
  ///     timerPublisher(every: 2)  --2--4--6---
  ///
  /// A subscriber without demand misses the tick. The next tick is scheduled when one fires.
  public func timerPublisher(
    every interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride? = nil,
    options: SchedulerOptions? = nil
  ) -> Publishers.SchedulerTimer<Self> {
    Publishers.SchedulerTimer(
      scheduler: self,
      interval: interval,
      tolerance: tolerance ?? minimumTolerance,
      options: options
    )
  }
}

extension Publishers {
  /// See `timerPublisher(every:tolerance:options:)`.
  public final class SchedulerTimer<Context: Scheduler>: ConnectablePublisher {
    /// The moment of each tick, on the scheduler's clock.
    public typealias Output = Context.SchedulerTimeType
    public typealias Failure = Never

    /// What keeps the time, and where the ticks come.
    public let scheduler: Context
    /// How long it is from one tick to the next.
    public let interval: Context.SchedulerTimeType.Stride
    /// How late a tick may come.
    public let tolerance: Context.SchedulerTimeType.Stride
    /// What the scheduler is given with the repeated action.
    public let options: Context.SchedulerOptions?

    @usableFromInline let ticks = PassthroughSubject<Output, Never>()

    /// Creates a publisher of ticks, of which the first comes one `interval` after connecting.
    ///
    /// Nothing is scheduled before `connect()`.
    public init(
      scheduler: Context,
      interval: Context.SchedulerTimeType.Stride,
      tolerance: Context.SchedulerTimeType.Stride,
      options: Context.SchedulerOptions? = nil
    ) {
      self.scheduler = scheduler
      self.interval = interval
      self.tolerance = tolerance
      self.options = options
    }

    /// Attaches `subscriber`, which gets the ticks of all connections while it has demand.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Never {
      ticks.receive(subscriber: subscriber)
    }

    /// Begins to tick, until the result is cancelled; each call begins ticks of its own.
    public func connect() -> any Cancellable {
      let (ticks, scheduler) = (ticks, scheduler)
      return scheduler.schedule(
        after: scheduler.now.advanced(by: interval),
        interval: interval,
        tolerance: tolerance,
        options: options
      ) { ticks.send(scheduler.now) }
    }
  }
}
