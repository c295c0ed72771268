import FlowTestSupport
import Testing

@testable import FlowCore

/// How the operators that wait use their scheduler.
@Suite("timers")
struct TimerSparingTests {
  let clock = VirtualTimeScheduler()
  let subject = PassthroughSubject<Int, Oops>()

  @Test("debounce sets one timer for many values, and is as exact as with one for each")
  func debounce() {
    let sparing = Sparing(clock: clock)
    let log = subject.debounce(for: .milliseconds(100), scheduler: sparing).record()
    for value in 1...50 {
      subject.send(value)
      clock.advance(by: .milliseconds(10))
    }
    #expect(sparing.timers.count < 7)
    #expect(log.line == "Debounce")
    clock.advance(by: .milliseconds(89))
    #expect(log.line == "Debounce")
    clock.advance(by: .milliseconds(1))
    #expect(log.line == "Debounce 50")
    clock.advance(by: .seconds(5))
    subject.send(51)
    clock.advance(by: .milliseconds(100))
    #expect(log.line == "Debounce 50 51")
    subject.send(52)
    log.cancel()
    #expect(clock.nextDeadline == nil)
  }

  @Test("timeout sets one timer for many values, and is as exact as with one for each")
  func timeout() {
    let sparing = Sparing(clock: clock)
    let log = subject.timeout(.milliseconds(100), scheduler: sparing).record()
    for value in 1...50 {
      subject.send(value)
      clock.advance(by: .milliseconds(10))
    }
    #expect(sparing.timers.count < 7)
    clock.advance(by: .milliseconds(89))
    #expect(log.values.count == 50)
    #expect(!log.line.hasSuffix("|"))
    clock.advance(by: .milliseconds(1))
    #expect(log.line.hasSuffix(" 50 |"))
    #expect(clock.nextDeadline == nil)
  }

  @Test("timeout and debounce on the clock are as exact as with a timer for each value")
  func exact() {
    var random = SeededGenerator(state: 3)
    for _ in 0..<200 {
      let steps = (0..<50).map { _ in Int.random(in: 0..<12, using: &random) }
      let (clock, other) = (VirtualTimeScheduler(), VirtualTimeScheduler())
      let expected = arrivals(of: steps, on: TimerForEach(clock: other), other)
      #expect(arrivals(of: steps, on: clock, clock) == expected)
    }
  }

  /// What comes when, of a timeout and a debounce with limited demand and an action beside them.
  private func arrivals<S: Scheduler>(
    of steps: [Int],
    on scheduler: S,
    _ clock: VirtualTimeScheduler
  ) -> [String] where S.SchedulerTimeType == VirtualTimeScheduler.SchedulerTimeType {
    let subject = PassthroughSubject<Int, Oops>()
    var log: [String] = []
    func note(_ what: String) { log.append("\(what) at \(clock.now.nanoseconds)") }
    let timeout = subject.timeout(.nanoseconds(5), scheduler: scheduler) { Oops() }
      .handleEvents(
        receiveOutput: { note("timeout \($0)") },
        receiveCompletion: { note("timeout \($0)") },
        receiveCancel: { note("timeout cancelled") }
      )
      .record(.max(2))
    let debounce = subject.debounce(for: .nanoseconds(3), scheduler: scheduler)
      .handleEvents(
        receiveOutput: { note("debounce \($0)") },
        receiveCompletion: { note("debounce \($0)") }
      )
      .record(.max(1))
    for (number, step) in steps.enumerated() {
      switch step {
      case 0...3: subject.send(number)
      case 4: timeout.request(1)
      case 5: debounce.request(1)
      case 6: clock.schedule(after: clock.now.advanced(by: .nanoseconds(4))) { note("action") }
      case 7 where number > 40: timeout.cancel()
      case 8 where number > 45: subject.send(completion: .finished)
      default: clock.advance(by: .nanoseconds(1))
      }
      log.append("next \(clock.nextDeadline.map { "\($0.nanoseconds)" } ?? "none")")
    }
    clock.run()
    return log + [timeout.line, debounce.line]
  }

  @Test("without an interval debounce sends at the scheduler's next turn")
  func noInterval() {
    let log = subject.debounce(for: 0, scheduler: clock).record()
    subject.send(1)
    subject.send(2)
    clock.run()
    #expect(log.line == "Debounce 2")
  }
}

/// A scheduler on a clock that counts its timers, and lets one that is put off go on.
private struct Sparing: ForwardingScheduler {
  final class Timers { var count = 0 }

  let clock: VirtualTimeScheduler
  let timers = Timers()

  func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    timers.count += 1
    return clock.schedule(
      after: date,
      interval: interval,
      tolerance: tolerance,
      options: options,
      action
    )
  }

  func _postpone(_ timer: _Timer, to date: SchedulerTimeType) -> Bool { true }
}

/// A clock that is given a timer for each value, as other schedulers are.
private struct TimerForEach: ForwardingScheduler {
  let clock: VirtualTimeScheduler
}
