import FlowCore
import FlowTestSupport
import Testing

@Suite("pace")
struct PaceTests {
  let clock = VirtualTimeScheduler()
  let probe = ProbePublisher<Int, Oops>()

  private func paced(
    _ count: Int,
    per seconds: Int,
    demand: Subscribers.Demand = .unlimited
  ) -> RecordingSubscriber<Int, Oops> {
    let log = RecordingSubscriber<Int, Oops>(demand)
    probe.pace(count, per: .seconds(seconds), scheduler: clock).subscribe(log)
    return log
  }

  @Test("asks for no more than may pass, whatever is requested")
  func gate() {
    let log = paced(2, per: 3)
    #expect(probe.demand == .max(2))
    #expect(probe.send(1) && probe.send(2))
    #expect(!probe.send(3))
    clock.advance(by: .seconds(2))
    #expect(probe.demand == .none)
    clock.advance(by: .seconds(1))
    #expect(probe.demand == .max(2))
    #expect(log.values == [1, 2])
    #expect(log.violations == [])
  }

  @Test("counts in any interval, not from one mark to the next")
  func sliding() {
    _ = paced(2, per: 10)
    #expect(probe.send(1))
    clock.advance(by: .seconds(9))
    #expect(probe.send(2))
    #expect(!probe.send(3))
    clock.advance(by: .seconds(1))
    #expect(probe.send(3))
    #expect(!probe.send(4))
    clock.advance(by: .seconds(8))
    #expect(probe.demand == .none)
    clock.advance(by: .seconds(1))
    #expect(probe.demand == .max(1))
  }

  @Test("what has been asked for and has not come counts")
  func outstanding() {
    _ = paced(3, per: 1)
    #expect(probe.demand == .max(3))
    clock.advance(by: .seconds(10))
    #expect(probe.demand == .max(3))
    #expect(probe.send(1))
    clock.advance(by: .seconds(10))
    #expect(probe.demand == .max(3))
  }

  @Test("no interval has more than so many, and nothing is lost", arguments: [1, 2, 7])
  func steady(count: Int) {
    var times: [Int64] = []
    let log = RecordingSubscriber<Int, Never>(.max(1)) { subscriber, value in
      times.append(clock.now.nanoseconds)
      if value % 3 == 0 { return .max(1) }
      // Some ask only later.
      clock.schedule(after: clock.now.advanced(by: .milliseconds(value % 5 * 90))) {
        subscriber.request(.max(1))
      }
      return .none
    }
    (1...60).publisher.pace(count, per: .milliseconds(700), scheduler: clock).subscribe(log)
    clock.run()
    #expect(log.values == Array(1...60))
    #expect(log.isFinished)
    for index in times.indices.dropFirst(count) {
      #expect(times[index] - times[index - count] >= 700_000_000)
    }
    #expect(log.violations == [])
  }

  @Test("the end comes at once, and so does a failure")
  func ends() {
    #expect(play("12|") { $0.pace(9, per: 5, scheduler: $1) } == "12|")
    #expect(play("12✕") { $0.pace(9, per: 5, scheduler: $1) } == "12✕")
    let log = paced(1, per: 5)
    probe.send(1)
    probe.send(completion: .finished)
    #expect(log.isFinished)
    #expect(clock.nextDeadline == nil)
  }

  @Test("a cancellation stops its timer")
  func cancelled() {
    let log = paced(1, per: 5)
    probe.send(1)
    #expect(clock.nextDeadline != nil)
    log.cancel()
    #expect(clock.nextDeadline == nil)
    #expect(probe.cancels == 1)
  }

  @Test("remembers few times, however many values have passed")
  func memory() {
    let source = PassthroughSubject<Int, Never>()
    let log = source.pace(.max, per: .seconds(1), scheduler: clock).record()
    for value in 1...5000 {
      source.send(value)
      clock.advance(by: .microseconds(400))
    }
    #expect(log.values.count == 5000)
    // One is woken for each 128th of a second at most.
    var wakings = 0
    while clock.nextDeadline != nil, wakings < 1000 {
      clock.advance(by: .milliseconds(1))
      wakings += 1
    }
    #expect(clock.nextDeadline == nil)
  }
}
