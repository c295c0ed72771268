import FlowCore

/// A scheduler that leaves to a virtual clock what it does not do itself.
protocol ForwardingScheduler: Scheduler
where
  SchedulerTimeType == VirtualTimeScheduler.SchedulerTimeType,
  SchedulerOptions == VirtualTimeScheduler.SchedulerOptions
{
  var clock: VirtualTimeScheduler { get }
}

extension ForwardingScheduler {
  var now: SchedulerTimeType { clock.now }
  var minimumTolerance: SchedulerTimeType.Stride { clock.minimumTolerance }

  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    clock.schedule(options: options, action)
  }

  func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    clock.schedule(after: date, tolerance: tolerance, options: options, action)
  }

  func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    clock.schedule(
      after: date,
      interval: interval,
      tolerance: tolerance,
      options: options,
      action
    )
  }
}
