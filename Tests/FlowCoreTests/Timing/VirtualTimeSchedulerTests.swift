import FlowTestSupport
import Testing

@testable import FlowCore

@Suite("VirtualTimeScheduler")
struct VirtualTimeSchedulerTests {
  typealias Time = VirtualTimeScheduler.SchedulerTimeType

  let clock = VirtualTimeScheduler()

  @Test("runs by due time, then in order of scheduling")
  func order() {
    var log: [Int] = []
    for (index, second) in [3, 1, 2, 1, 3, 1].enumerated() {
      clock.schedule(after: clock.now.advanced(by: .seconds(second))) { log.append(index) }
    }
    clock.advance(to: Time(nanoseconds: 2_000_000_000))
    #expect(log == [1, 3, 5, 2])
    clock.run()
    #expect(log == [1, 3, 5, 2, 0, 4])
  }

  @Test("keeps the order of many, scheduled in any order")
  func manyInOrder() {
    var log: [Int64] = []
    var random: UInt64 = 1
    for _ in 0..<1000 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let time = Time(nanoseconds: Int64(random >> 54))
      clock.schedule(after: time) { log.append(time.nanoseconds) }
    }
    clock.run()
    #expect(log.count == 1000)
    #expect(log == log.sorted())
  }

  @Test("shows an action its due time, and what it schedules within the span runs too")
  func nowWhileRunning() {
    var log: [Int64] = []
    clock.schedule(after: Time(nanoseconds: 10)) { [clock] in
      log.append(clock.now.nanoseconds)
      clock.schedule { log.append(clock.now.nanoseconds) }
      clock.schedule(after: Time(nanoseconds: 5)) { log.append(clock.now.nanoseconds) }
      clock.schedule(after: Time(nanoseconds: 15)) { log.append(clock.now.nanoseconds) }
      clock.schedule(after: Time(nanoseconds: 30)) { log.append(clock.now.nanoseconds) }
    }
    clock.advance(to: Time(nanoseconds: 20))
    #expect(log == [10, 10, 10, 15])
    #expect(clock.now.nanoseconds == 20)
    #expect(clock.nextDeadline?.nanoseconds == 30)
    clock.advance(by: .nanoseconds(10))
    #expect(log == [10, 10, 10, 15, 30])
    #expect(clock.nextDeadline == nil)
  }

  @Test("never runs anything at once, and never turns the clock back")
  func scheduledIsLater() {
    var count = 0
    clock.advance(to: Time(nanoseconds: 7))
    clock.schedule { count += 1 }
    #expect(count == 0)
    #expect(clock.nextDeadline?.nanoseconds == 7)
    clock.advance(to: Time(nanoseconds: 3))
    #expect(count == 1)
    #expect(clock.now.nanoseconds == 7)
  }

  @Test("repeats without drift until cancelled, and then forgets the action")
  func repetition() {
    final class Witness {}
    var witness: Witness? = Witness()
    weak let alive = witness
    var log: [Int64] = []
    let token = clock.schedule(after: Time(nanoseconds: 5), interval: .nanoseconds(10)) {
      [clock, witness] in
      _ = witness
      log.append(clock.now.nanoseconds)
    }
    witness = nil
    clock.advance(to: Time(nanoseconds: 30))
    #expect(log == [5, 15, 25])
    #expect(alive != nil)
    token.cancel()
    token.cancel()
    #expect(alive == nil)
    #expect(clock.nextDeadline == nil)
    clock.run()
    #expect(log == [5, 15, 25])
  }

  @Test("a repetition can be cancelled from inside")
  func cancelFromInside() {
    var token: (any Cancellable)?
    var count = 0
    token = clock.schedule(after: Time(nanoseconds: 1), interval: .nanoseconds(1)) {
      count += 1
      if count == 3 { token?.cancel() }
    }
    clock.run(limit: 100)
    #expect(count == 3)
    token = nil
  }

  @Test("cancelled repetitions leave the others in order")
  func manyRepetitions() {
    var log: [Int] = []
    let tokens = (0..<100).map { index in
      clock.schedule(after: Time(nanoseconds: Int64(100 - index)), interval: .seconds(1)) {
        log.append(index)
      }
    }
    for (index, token) in tokens.enumerated() where index % 3 != 0 { token.cancel() }
    clock.advance(to: Time(nanoseconds: 100))
    #expect(log == (0..<100).reversed().filter { $0 % 3 == 0 })
    for token in tokens { token.cancel() }
    #expect(clock.nextDeadline == nil)
  }

  @Test("stops at the limit")
  func limit() {
    var count = 0
    let token = clock.schedule(after: clock.now, interval: .seconds(1)) { count += 1 }
    clock.run(limit: 10)
    #expect(count == 10)
    #expect(clock.now.nanoseconds == 9_000_000_000)
    token.cancel()
  }

  @Test(
    "counts strides in the unit that is named",
    arguments: [
      (Time.Stride.seconds(2), 2_000_000_000),
      (.seconds(0.25), 250_000_000),
      (.milliseconds(3), 3_000_000),
      (.microseconds(4), 4000),
      (.nanoseconds(5), 5),
      (6, 6_000_000_000),
      (1.5, 1_500_000_000),
      (.seconds(.max), .max),
      (.seconds(1e300), .max),
      (Time.Stride(.milliseconds(1500)), 1_500_000_000),
      (Time.Stride(.seconds(Int64.max)), .max),
    ] as [(Time.Stride, Int64)]
  )
  func units(_ stride: Time.Stride, _ nanoseconds: Int64) {
    #expect(stride.nanoseconds == nanoseconds)
  }

  @Test("stops at the ends of time")
  func endsOfTime() {
    #expect(Time(nanoseconds: 1).advanced(by: .seconds(.max)).nanoseconds == .max)
    #expect(Time(nanoseconds: -2).advanced(by: .seconds(.min)).nanoseconds == .min)
  }

  @Test("a clock that is late runs a repeating action once for all of its times that have passed")
  func late() {
    var log: [Int64] = []
    let repeating = clock.schedule(after: Time(nanoseconds: 3), interval: .nanoseconds(5)) {
      [clock] in log.append(clock.now.nanoseconds)
    }
    clock.schedule(after: Time(nanoseconds: 4)) { [clock] in log.append(-clock.now.nanoseconds) }
    #expect(!clock.runFirstDue())
    clock.show(Time(nanoseconds: 18))
    clock.show(Time(nanoseconds: 1))
    #expect(log == [])
    while clock.runFirstDue() {}
    #expect(log == [18, -18])
    #expect(clock.skippedCount == 3)
    #expect(clock.nextDeadline?.nanoseconds == 23)
    clock.show(Time(nanoseconds: 22))
    #expect(!clock.runFirstDue())
    clock.show(Time(nanoseconds: 23))
    #expect(clock.runFirstDue())
    #expect(log == [18, -18, 23])
    repeating.cancel()
    #expect(clock.nextDeadline == nil)
  }

  @Test("a repeating action that is cancelled when it runs has skipped nothing")
  func lateOnce() {
    var timer: (any Cancellable)?
    timer = clock.schedule(after: Time(nanoseconds: 1), interval: .nanoseconds(1)) {
      timer?.cancel()
    }
    clock.show(Time(nanoseconds: .max))
    #expect(clock.runFirstDue())
    #expect(!clock.runFirstDue())
    #expect(clock.skippedCount == 0)
  }

  @Test("timers that are started, put off and ended in any order fire as with a new one each time")
  func postponed() {
    var random = SeededGenerator(state: 7)
    for _ in 0..<200 {
      let steps = (0..<60).map { _ in
        (Int.random(in: 0..<5, using: &random), Int.random(in: 0..<4, using: &random))
      }
      #expect(firings(of: steps, postpones: true) == firings(of: steps, postpones: false))
    }
  }

  /// When which of four timers fires; what is to be put off is, or is ended and started anew.
  private func firings(of steps: [(what: Int, timer: Int)], postpones: Bool) -> [String] {
    let clock = VirtualTimeScheduler()
    var log: [String] = []
    var timers: [_Timer?] = Array(repeating: nil, count: 4)
    func start(_ timer: Int) {
      timers[timer]?.cancel()
      let date = clock.now.advanced(by: .nanoseconds(5 + timer))
      timers[timer] = clock._startTimer(
        after: date,
        interval: .nanoseconds(9),
        tolerance: 0,
        options: nil
      ) {
        log.append("\(timer) at \(clock.now.nanoseconds)")
        timers[timer] = nil
      }
    }
    for (what, timer) in steps {
      switch what {
      case 0: start(timer)
      case 1, 2:
        let date = clock.now.advanced(by: .nanoseconds(5 + timer))
        guard postpones, let old = timers[timer], clock._postpone(old, to: date) else {
          start(timer)
          break
        }
      case 3:
        timers[timer]?.cancel()
        if timer == 0 { timers[timer] = nil }
      default:
        clock.schedule(after: clock.now.advanced(by: .nanoseconds(6))) { log.append("action") }
        clock.advance(by: .nanoseconds(Int(timer)))
      }
      log.append("next \(clock.nextDeadline.map { "\($0.nanoseconds)" } ?? "none")")
    }
    clock.run(limit: 20)
    return log
  }

  @Test("a timer that has ended cannot be put off, and one that is put off holds its action once")
  func postponedAndEnded() {
    final class Witness {}
    var witness: Witness? = Witness()
    weak let alive = witness
    var timer: _Timer? = clock._startTimer(
      after: Time(nanoseconds: 5),
      interval: .nanoseconds(10),
      tolerance: 0,
      options: nil
    ) { [witness] in _ = witness }
    witness = nil
    for nanoseconds in 6...9 {
      #expect(timer.map { clock._postpone($0, to: Time(nanoseconds: Int64(nanoseconds))) } == true)
    }
    #expect(clock.nextDeadline?.nanoseconds == 9)
    #expect(clock.scheduledCount == 1)
    timer?.cancel()
    #expect(alive == nil)
    #expect(clock.nextDeadline == nil)
    #expect(timer.map { clock._postpone($0, to: Time(nanoseconds: 20)) } == false)
    timer = nil
    #expect(clock.nextDeadline == nil)
  }
}
