public import FlowCore

/// A scheduler that forwards to a virtual clock, except the methods that a type implements itself.
public protocol ForwardingScheduler: Scheduler
where
  SchedulerTimeType == VirtualTimeScheduler.SchedulerTimeType,
  SchedulerOptions == VirtualTimeScheduler.SchedulerOptions
{
  var clock: VirtualTimeScheduler { get }
}

extension ForwardingScheduler {
  public var now: SchedulerTimeType { clock.now }
  public var minimumTolerance: SchedulerTimeType.Stride { clock.minimumTolerance }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    clock.schedule(options: options, action)
  }

  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    clock.schedule(after: date, tolerance: tolerance, options: options, action)
  }

  public func schedule(
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
