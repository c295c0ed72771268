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
    public typealias Output = Context.SchedulerTimeType
    public typealias Failure = Never

    public let scheduler: Context
    public let interval: Context.SchedulerTimeType.Stride
    public let tolerance: Context.SchedulerTimeType.Stride
    public let options: Context.SchedulerOptions?

    private let ticks = PassthroughSubject<Output, Never>()

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

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Never {
      ticks.receive(subscriber: subscriber)
    }

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
