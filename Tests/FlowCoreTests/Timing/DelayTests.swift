import FlowTestSupport
import Testing

@testable import FlowCore

@Suite("delay")
struct DelayTests {
  let clock = VirtualTimeScheduler()
  let subject = PassthroughSubject<Int, Oops>()

  @Test("sends values and the end later, in order")
  func later() {
    #expect(play("-12--3|") { $0.delay(for: 2, scheduler: $1) } == "---12--3|")
    #expect(play("-12✕") { $0.delay(for: 2, scheduler: $1) } == "---12✕")
  }

  @Test("values that wait are one action of the clock, due with the first of them")
  func oneTimer() {
    let log = subject.delay(for: .seconds(1), scheduler: clock).record()
    for value in 1...1000 {
      subject.send(value)
      clock.advance(by: .milliseconds(1) - .nanoseconds(1))
    }
    #expect(log.line == "Delay")
    #expect(clock.scheduledCount == 1)
    #expect(clock.nextDeadline?.nanoseconds == 1_000_000_000)
    clock.advance(to: .init(nanoseconds: 1_000_999_999))
    #expect(log.values == [1, 2])
    clock.run(limit: 10)
    #expect(log.values.count == 12)
    subject.send(completion: .finished)
    clock.run()
    #expect(log.values == Array(1...1000))
    #expect(log.line.hasSuffix("|"))
    #expect(clock.nextDeadline == nil)
  }

  @Test("a cancelled one does not stay with the clock until its values would have come")
  func forgotten() {
    let other = PassthroughSubject<Int, Oops>()
    let log = other.delay(for: .seconds(3), scheduler: clock).record()
    other.send(1)
    for _ in 1...100 {
      weak var kept: Probe?
      do {
        let probe = Probe()
        kept = probe
        let delayed = subject.map { ($0, probe) }.replaceError(with: (0, probe))
          .delay(for: .seconds(2), scheduler: clock)
        var streams = (1...100).map { _ in delayed.sink { _ in } }
        subject.send(1)
        subject.send(2)
        #expect(clock.scheduledCount == 101)
        streams.removeFirst().cancel()
        #expect(clock.scheduledCount == 100)
        streams.removeAll()
      }
      #expect(kept == nil)
      #expect(clock.scheduledCount == 1)
    }
    #expect(clock.nextDeadline?.nanoseconds == 3_000_000_000)
    clock.run(limit: 1)
    #expect(log.values == [1])
    #expect(clock.nextDeadline == nil)
  }

  private final class Probe {}

  @Test("what is due at one moment comes as with an action for each")
  func order() {
    var random = SeededGenerator(state: 1)
    let steps = (0..<500).map { _ in Int.random(in: 0..<5, using: &random) }
    let expected = arrivals(of: steps, on: ActionForEach(clock: clock), clock)
    #expect(expected.count == steps.count)
    #expect(arrivals(of: steps, on: clock, clock) == expected)
  }

  /// Who came when, of two delays and an action beside them.
  private func arrivals<S: Scheduler>(
    of steps: [Int],
    on scheduler: S,
    _ clock: VirtualTimeScheduler
  ) -> [String] where S.SchedulerTimeType == VirtualTimeScheduler.SchedulerTimeType {
    let start = clock.now
    var log: [String] = []
    func note(_ name: String, _ value: Int) {
      log.append("\(name) \(value) \(start.distance(to: clock.now).nanoseconds)")
    }
    let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let subscriptions = [
      first.delay(for: .nanoseconds(7), scheduler: scheduler).sink { note("first", $0) },
      second.delay(for: .nanoseconds(5), scheduler: scheduler).sink { note("second", $0) },
    ]
    for (number, step) in steps.enumerated() {
      switch step {
      case 0, 1: first.send(number)
      case 2: second.send(number)
      case 3:
        clock.schedule(after: clock.now.advanced(by: .nanoseconds(6))) { note("action", number) }
      default:
        note("step", number)
        clock.advance(by: .nanoseconds(1))
      }
    }
    clock.run()
    withExtendedLifetime(subscriptions) {}
    return log
  }

  @Test("a cancellation lets go of what waits, and the next subscription starts anew")
  func cancelled() {
    final class Witness {}
    let witnesses = PassthroughSubject<Witness, Never>()
    let delayed = witnesses.delay(for: .seconds(1), scheduler: clock)
    var witness: Witness? = Witness()
    weak let alive = witness
    var count = 0
    let subscription = delayed.sink { _ in count += 1 }
    for _ in 0..<3 { if let witness { witnesses.send(witness) } }
    witness = nil
    #expect(alive != nil)
    subscription.cancel()
    #expect(alive == nil)
    let next = delayed.sink { _ in count += 10 }
    witnesses.send(Witness())
    clock.run(limit: 2)
    #expect(count == 10)
    #expect(clock.nextDeadline == nil)
    next.cancel()
  }

  @Test("a value sent as another arrives waits as long", .timeLimit(.minutes(10)))
  func sentOnArrival() {
    var arrivals: [Int64] = []
    let subscription = subject.assertNoFailure().delay(for: .seconds(1), scheduler: clock)
      .sink { [clock, subject] value in
        arrivals.append(clock.now.nanoseconds)
        if value < 3 { subject.send(value + 1) }
      }
    subject.send(1)
    clock.run()
    #expect(arrivals == [1_000_000_000, 2_000_000_000, 3_000_000_000])
    withExtendedLifetime(subscription) {}
  }
}

/// A clock that is given an action for each value, as other schedulers are.
private struct ActionForEach: ForwardingScheduler {
  let clock: VirtualTimeScheduler
}
