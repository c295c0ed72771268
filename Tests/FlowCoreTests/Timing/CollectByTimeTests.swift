import FlowCore
import FlowTestSupport
import Testing

@Suite("collect(_:options:)")
struct CollectByTimeTests {
  let clock = VirtualTimeScheduler()
  let probe = ProbePublisher<Int, Oops>()

  private func send(_ values: ClosedRange<Int>) {
    for value in values { probe.send(value) }
  }

  @Test("is drawn like this")
  func marbles() {
    let drawn = play("-1-2--3---|", until: 12) { source, clock in
      source.collect(.byTime(clock, 4)).map { $0.joined(separator: ",") }
    }
    #expect(drawn == "----[1,2]---3-|")
  }

  @Test("sends what has come once an interval, and nothing if nothing has")
  func byTime() {
    let log = probe.collect(.byTime(clock, .seconds(2))).record()
    send(1...2)
    clock.advance(by: .seconds(2))
    #expect(log.line == "CollectByTime [1, 2]")
    clock.advance(by: .seconds(3))
    send(3...5)
    clock.advance(by: .seconds(1))
    #expect(log.line == "CollectByTime [1, 2] [3, 4, 5]")
    log.cancel()
    #expect(clock.nextDeadline == nil)
  }

  @Test("sends the rest before the end; a failure loses it")
  func rest() {
    let log = probe.collect(.byTime(clock, .seconds(2))).record()
    send(1...2)
    probe.send(completion: .finished)
    #expect(log.line == "CollectByTime")
    clock.run()
    #expect(log.line == "CollectByTime [1, 2] |")

    let failing = probe.collect(.byTime(clock, .seconds(2))).record()
    send(1...2)
    probe.send(completion: .failure(Oops()))
    clock.run()
    #expect(failing.line == "CollectByTime ✕oops")
  }

  @Test("sends full arrays before their time, which does not restart it")
  func byTimeOrCount() {
    let log = probe.collect(.byTimeOrCount(clock, .seconds(2), 2)).record()
    send(1...3)
    clock.advance(by: .seconds(1))
    #expect(log.line == "CollectByTime [1, 2]")
    clock.advance(by: .seconds(1))
    #expect(log.line == "CollectByTime [1, 2] [3]")
    send(4...8)
    probe.send(completion: .finished)
    clock.run()
    #expect(log.line == "CollectByTime [1, 2] [3] [4, 5] [6, 7] [8] |")
  }

  @Test("requests no more values than the requested arrays can hold")
  func demandIsBounded() {
    let log = probe.collect(.byTimeOrCount(clock, .seconds(1), 10)).record(.none)
    for _ in 1...100 {
      log.request(1)
      #expect(probe.demand <= 10)
      send(1...3)
      clock.advance(by: .seconds(1))
    }
    #expect(log.line == "CollectByTime" + String(repeating: " [1, 2, 3]", count: 100))

    let other = ProbePublisher<Int, Oops>()
    let byTime = other.collect(.byTime(clock, .seconds(1))).record(.none)
    for _ in 1...10 { byTime.request(1) }
    for value in 1...100 {
      #expect(other.demand <= 1)
      other.send(value)
      clock.advance(by: .seconds(1))
    }
    #expect(byTime.events.count == 11)
    #expect(other.demand == .none)
  }

  @Test("asks for one value and one with each, or for what full arrays hold")
  func demand() {
    let log = probe.collect(.byTime(clock, .seconds(1))).record(.max(2))
    #expect(probe.requests == [.max(1)])
    send(1...5)
    #expect(probe.demand == .max(1))
    log.cancel()

    let other = ProbePublisher<Int, Oops>()
    let full = other.collect(.byTimeOrCount(clock, .seconds(1), 2)).record(.max(2)) { _, values in
      values == [1, 2] ? .max(1) : values == [3] ? .max(5) : .none
    }
    #expect(other.requests == [.max(4)])
    for value in 1...3 { other.send(value) }
    clock.advance(by: .seconds(1))
    #expect(full.line == "CollectByTime [1, 2] [3]")
    #expect(other.requests == [.max(4), .max(2), .max(9)])
  }

  @Test("keeps what it has collected until there is demand")
  func waitsForDemand() {
    let log = probe.collect(.byTime(clock, .seconds(1))).record(.max(1))
    for value in 1...3 {
      probe.send(value)
      clock.advance(by: .seconds(1))
    }
    #expect(log.line == "CollectByTime [1]")
    log.request(1)
    clock.advance(by: .seconds(1))
    #expect(log.line == "CollectByTime [1] [2]")
    probe.send(4)
    probe.send(completion: .finished)
    clock.run()
    #expect(log.line == "CollectByTime [1] [2]")
    log.request(1)
    clock.run()
    #expect(log.line == "CollectByTime [1] [2] [4] |")
  }

  @Test("sends the rest in arrays of the count as they are requested, then the end")
  func restWaitsForDemand() {
    let log = probe.collect(.byTimeOrCount(clock, .seconds(1), 2)).record(.max(1))
    for value in 1...5 { probe.sendLate(value) }
    probe.send(completion: .finished)
    clock.run()
    #expect(log.line == "CollectByTime [1, 2]")
    log.request(1)
    clock.run()
    #expect(log.line == "CollectByTime [1, 2] [3, 4]")
    log.request(1)
    clock.run()
    #expect(log.line == "CollectByTime [1, 2] [3, 4] [5] |")

    let cancelled = probe.collect(.byTime(clock, .seconds(1))).record(.none)
    probe.sendLate(1)
    probe.send(completion: .finished)
    clock.run()
    cancelled.cancel()
    cancelled.request(1)
    clock.run()
    #expect(cancelled.line == "CollectByTime")
  }

  @Test("never requests more than it can hold", arguments: [Subscribers.Demand.max(5), .unlimited])
  func limit(_ demand: Subscribers.Demand) {
    let log = probe.collect(.byTimeOrCount(clock, .seconds(1), 4), holdingAtMost: 6).record(demand)
    #expect(probe.demand == .max(6))
    send(1...6)
    #expect(probe.demand == .none)
    clock.advance(by: .seconds(0))
    #expect(log.line == "CollectByTime [1, 2, 3, 4]")
    #expect(probe.demand == .max(4))
    clock.advance(by: .seconds(1))
    #expect(log.line == "CollectByTime [1, 2, 3, 4] [5, 6]")
    #expect(probe.demand == .max(6))

    let other = ProbePublisher<Int, Oops>()
    let byTime = other.collect(.byTime(clock, .seconds(1)), holdingAtMost: 2).record(demand)
    #expect(other.send(1) && other.send(2) && !other.send(3))
    clock.advance(by: .seconds(1))
    #expect(other.send(4))
    clock.advance(by: .seconds(1))
    #expect(byTime.line == "CollectByTime [1, 2] [4]")
  }
}
