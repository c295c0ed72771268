import FlowCore
import FlowTestSupport
import Testing

@Suite("debounce, throttle")
struct DebounceTests {
  let clock = VirtualTimeScheduler()
  let subject = PassthroughSubject<Int, Oops>()

  @Test("debounce sends the last value of a burst when it has been quiet")
  func bursts() {
    #expect(
      play("-1--23----4-|") { $0.debounce(for: 2, scheduler: $1) } == "---1---3----|"
    )
    #expect(play("12345---|") { $0.debounce(for: 3, scheduler: $1) } == "-------5|")
  }

  @Test("debounce loses what is not due at the end, and what is due without demand")
  func losses() {
    #expect(play("-1-2|") { $0.debounce(for: 3, scheduler: $1) } == "----|")
    #expect(play("-1-2✕") { $0.debounce(for: 3, scheduler: $1) } == "----✕")
    let log = subject.debounce(for: 1, scheduler: clock).record(.none)
    subject.send(1)
    clock.run()
    log.request(1)
    clock.run()
    #expect(log.line == "Debounce")
    subject.send(2)
    clock.run()
    subject.send(3)
    clock.run()
    #expect(log.line == "Debounce 2")
  }

  @Test("debounce sends nothing after a cancellation")
  func debounceCancelled() {
    let log = subject.debounce(for: 1, scheduler: clock).record()
    subject.send(1)
    log.cancel()
    #expect(clock.nextDeadline == nil)
    clock.run()
    #expect(log.line == "Debounce")
  }

  @Test("throttle sends the first value at once, then the latest or first of each interval")
  func throttle() {
    let source = "1-2345----6|"
    #expect(
      play(source) { $0.throttle(for: 3, scheduler: $1, latest: true) } == "1--3--5---6--|"
    )
    #expect(
      play(source) { $0.throttle(for: 3, scheduler: $1, latest: false) } == "1--2--4---6--|"
    )
  }

  @Test("throttle sends a value that waits before the end, in its time")
  func throttledEnd() {
    #expect(
      play("1-2|", until: 8) { $0.throttle(for: 5, scheduler: $1, latest: true) } == "1----(2|)"
    )
    #expect(
      play("1-2✕", until: 8) { $0.throttle(for: 5, scheduler: $1, latest: true) } == "1----(2✕)"
    )
    #expect(play("--|") { $0.throttle(for: 5, scheduler: $1, latest: true) } == "--|")
  }

  @Test("throttle loses what comes without demand")
  func throttleDemand() {
    let log = subject.throttle(for: 1, scheduler: clock, latest: true).record(.max(1))
    for value in 1...3 {
      subject.send(value)
      clock.run()
    }
    log.request(1)
    clock.run()
    #expect(log.line == "Throttle 1")
    subject.send(4)
    clock.run()
    #expect(log.line == "Throttle 1 4")
  }
}
