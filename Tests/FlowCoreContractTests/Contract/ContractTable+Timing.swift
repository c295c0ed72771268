import FlowCore
import FlowTestSupport

/// Operators that use a scheduler.
let timing: [Candidate] = [
  .timed("debounce", [.prefetches, .waits]) { $0.debounce(for: 1, scheduler: $1) },
  .timed("throttle to the latest", [.prefetches, .waits]) {
    $0.throttle(for: 1, scheduler: $1, latest: true)
  },
  .timed("throttle to the first", [.prefetches, .waits]) {
    $0.throttle(for: 1, scheduler: $1, latest: false)
  },
  .timed("timeout") { $0.timeout(1, scheduler: Patient(clock: $1)) },
  .timed("collect(.byTimeOrCount)", [.prefetches, .waits]) {
    $0.collect(.byTimeOrCount(Patient(clock: $1), 1, 2)).map { $0[0] }
  },
  .timed("pace", [.waits]) { $0.pace(3, per: 1, scheduler: $1) },
  .plain("subscribe(on:)") { $0.subscribe(on: ImmediateScheduler.shared) },
]

/// A scheduler whose timers never fire.
private struct Patient: ForwardingScheduler {
  let clock: VirtualTimeScheduler

  func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    AnyCancellable {}
  }
}
