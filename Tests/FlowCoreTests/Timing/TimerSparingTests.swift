import Dispatch
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

  @Test("on a queue debounce waits after the last value, not the first", .timeLimit(.minutes(10)))
  func queue() async {
    let queue = DispatchQueue(label: "debounce")
    let sent = Guarded<[Int]>([])
    let kept = Guarded<AnyCancellable?>(nil)
    await withCheckedContinuation { continuation in
      let debounced = subject.assertNoFailure().debounce(for: .milliseconds(20), scheduler: queue)
      let subscription = debounced.sink { value in
        sent.withLock { $0.append(value) }
        continuation.resume()
      }
      kept.withLock { $0 = subscription }
      // The queue is busy, so that the timer cannot fire in between.
      queue.sync {
        let end = DispatchTime.now() + .milliseconds(30)
        var value = 0
        while DispatchTime.now() < end {
          value += 1
          subject.send(value)
        }
        subject.send(-1)
      }
    }
    kept.withLock { $0 }?.cancel()
    #expect(sent.withLock { $0 } == [-1])
  }

  @Test("without an interval debounce sends at the scheduler's next turn")
  func noInterval() {
    let log = subject.debounce(for: 0, scheduler: clock).record()
    subject.send(1)
    subject.send(2)
    clock.run()
    #expect(log.line == "Debounce 2")
  }

  @Test("1.2, 1.3: on a concurrent scheduler values stay serial and in order")
  func concurrent() {
    for _ in 0..<20 {
      let scheduler = Concurrent(clock: clock)
      let recorder = RecordingSubscriber<Int, Oops>()
      subject.timeout(60, scheduler: scheduler).subscribe(recorder)
      for value in 1...200 { subject.send(value) }
      scheduler.runAtOnce()
      #expect(recorder.values == Array(1...200))
      #expect(recorder.violations == [])
      recorder.cancel()
    }
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

/// A scheduler that keeps what is for now, and then runs it on four threads; timers never fire.
private struct Concurrent: Scheduler {
  typealias SchedulerTimeType = VirtualTimeScheduler.SchedulerTimeType
  typealias SchedulerOptions = VirtualTimeScheduler.SchedulerOptions

  let clock: VirtualTimeScheduler
  let actions = Guarded<[() -> Void]>([])

  var now: SchedulerTimeType { clock.now }
  var minimumTolerance: SchedulerTimeType.Stride { clock.minimumTolerance }

  func runAtOnce() {
    let due = Unchecked(actions.withLock { $0 })
    DispatchQueue.concurrentPerform(iterations: due.value.count) { due.value[$0]() }
  }

  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    actions.withLock { $0.append(action) }
  }

  func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {}

  func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable { Subscriptions.empty }
}
