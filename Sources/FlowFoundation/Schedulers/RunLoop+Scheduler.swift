public import FlowCore
public import Foundation

/// A run loop runs what is scheduled in its default mode, on its own thread.
extension RunLoop: Scheduler {
  /// A moment on the calendar's clock.
  public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
    /// The moment.
    public var date: Date

    public init(_ date: Date) { self.date = date }

    public func distance(to other: Self) -> Stride {
      Stride(other.date.timeIntervalSince(date))
    }

    public func advanced(by n: Stride) -> Self { Self(date + n.timeInterval) }

    /// A length of time in seconds.
    public struct Stride: _SecondsStride {
      public var magnitude: TimeInterval

      public init(_ timeInterval: TimeInterval) { magnitude = timeInterval }
    }
  }

  /// There is nothing else to say of a piece of work.
  public struct SchedulerOptions: Sendable {}

  public var now: SchedulerTimeType { SchedulerTimeType(Date()) }
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    let action = HandedOver(value: action)
    perform { action.value() }
    if self === RunLoop.current { return }
    // On Linux a loop that sleeps does not hear of the action; of a timer it does.
    add(Timer(timeInterval: 0, repeats: false) { _ in }, forMode: .default)
  }

  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    let action = HandedOver(value: action)
    let timer = Timer(fire: date.date, interval: 0, repeats: false) { _ in action.value() }
    timer.tolerance = tolerance.timeInterval
    add(timer, forMode: .default)
  }

  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    let action = HandedOver(value: action)
    let timer = Timer(fire: date.date, interval: interval.timeInterval, repeats: true) { _ in
      action.value()
    }
    timer.tolerance = tolerance.timeInterval
    add(timer, forMode: .default)
    return AnyCancellable { timer.invalidate() }
  }
}
