import FlowCore
import FlowTestSupport
import Testing

@Suite("Scenarios: flatMap, buffer and time")
struct BackpressureScenarios {
  let clock = VirtualTimeScheduler()

  @Test("1: three at a time, the others find no demand")
  func missed() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = Recorder<Int, Never>()
    subject
      .flatMap(maxPublishers: .max(3)) { Just($0).delay(for: .seconds(3.05), scheduler: clock) }
      .subscribe(recorder)
    for second in 1...12 { clock.at(Double(second)) { subject.send(second) } }
    clock.advance(toSecond: 30)
    #expect(recorder.values == [1, 2, 3, 5, 6, 7, 9, 10, 11])
  }

  @Test("2: a buffer before it, none is missed")
  func buffered() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = Recorder<Int, Never>()
    subject
      .buffer(size: 20, prefetch: .keepFull, whenFull: .dropOldest)
      .flatMap(maxPublishers: .max(3)) { Just($0).delay(for: .seconds(3.05), scheduler: clock) }
      .subscribe(recorder)
    for second in 1...12 { clock.at(Double(second)) { subject.send(second) } }
    clock.advance(toSecond: 30)
    #expect(recorder.values == Array(1...12))
  }

  @Test(
    "3, 4: a full buffer leaves out the newest or the oldest",
    arguments: [
      (true, 2.15, 18.0, [1, 2, 3, 4, 5, 12, 23, 34]),
      (false, 2.1, 8.65, [1, 8, 18, 29]),
    ]
  )
  func fullBuffer(_ dropsNewest: Bool, _ delay: Double, _ end: Double, _ expected: [Int]) {
    let recorder = Recorder<Int, Never>()
    let timer = clock.timerPublisher(every: .milliseconds(200)).autoconnect()
    timer.scan(0) { count, _ in count + 1 }
      .buffer(
        size: 4,
        prefetch: .byRequest,
        whenFull: dropsNewest ? .dropNewest : .dropOldest
      )
      .flatMap(maxPublishers: .max(1)) { Just($0).delay(for: .seconds(delay), scheduler: clock) }
      .subscribe(recorder)
    clock.advance(toSecond: end)
    #expect(recorder.values == expected)
    recorder.cancel()
    #expect(
      clock.nextDeadline == nil
        || {
          clock.advance(toSecond: 100); return true
        }()
    )
    #expect(recorder.values == expected)
  }

  @Test("5, 6: one at a time, bare and behind a buffer")
  func oneAtATime() {
    for (hasBuffer, values, times) in [
      (false, [1, 11], [2.0, 5]), (true, [1, 2, 3, 4, 5, 11], [2.0, 4, 6, 8, 10, 12]),
    ] {
      let clock = VirtualTimeScheduler()
      let subject = PassthroughSubject<Int, Never>()
      let recorder = Recorder<Int, Never>(clock: clock)
      let source =
        hasBuffer
        ? subject.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest)
          .eraseToAnyPublisher() : subject.eraseToAnyPublisher()
      source
        .flatMap(maxPublishers: .max(1)) { Just($0).delay(for: .seconds(2), scheduler: clock) }
        .subscribe(recorder)
      for value in 1...10 { subject.send(value) }
      clock.at(3) { subject.send(11) }
      clock.advance(toSecond: 30)
      #expect(recorder.values == values)
      #expect(recorder.times == times)
    }
  }

  @Test("7: a full buffer fails once, cancels its upstream, and is silent then")
  func customError() {
    let subject = PassthroughSubject<Int, TestError>()
    let recorder = Recorder<Int, TestError>(.max(1))
    var cancels = 0
    subject.handleEvents(receiveCancel: { cancels += 1 })
      .buffer(size: 2, prefetch: .byRequest, whenFull: .customError { TestError("full") })
      .subscribe(recorder)
    for value in 1...6 { subject.send(value) }
    #expect(recorder.values == [1])
    #expect(cancels == 1)
    recorder.request(.max(5))
    #expect(recorder.values == [1, 2, 3])
    #expect(recorder.failure == TestError("full"))
    subject.send(completion: .finished)
    #expect(recorder.values == [1, 2, 3])
    #expect(recorder.completions.count == 1)
  }

  @Test("8: both at once, or one after the other", arguments: [false, true])
  func delayedPair(_ isSerial: Bool) {
    let recorder = Recorder<Int, Never>(clock: clock)
    [1, 2].publisher
      .flatMap(maxPublishers: isSerial ? .max(1) : .unlimited) {
        Just($0).delay(for: .seconds(10), scheduler: clock)
      }
      .subscribe(recorder)
    clock.advance(toSecond: 60)
    #expect(recorder.values == [1, 2])
    #expect(recorder.times == (isSerial ? [10, 20] : [10, 10]))
    #expect(recorder.isFinished)
  }

  @Test("9: two interleaved series, and cancelling stops both timers")
  func interleaved() {
    let subject = PassthroughSubject<String, Never>()
    let recorder = Recorder<String, Never>()
    subject
      .flatMap { name in
        clock.timerPublisher(every: .seconds(1)).autoconnect()
          .scan(0) { count, _ in count + 1 }
          .map { "\(name)\($0)" }
      }
      .subscribe(recorder)
    clock.at(0) { subject.send("a") }
    clock.at(1.5) { subject.send("b") }
    clock.advance(toSecond: 4)
    #expect(recorder.values == ["a1", "a2", "b1", "a3", "b2", "a4"])
    recorder.cancel()
    clock.advance(toSecond: 10)
    #expect(recorder.values.count == 6)
    #expect(clock.nextDeadline == nil)
  }

  @Test("10: one series only, when the closure gives nothing after the first time")
  func onlyOnce() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = Recorder<Int, Never>()
    var isProduced = false
    subject
      .flatMap { _ -> AnyPublisher<Int, Never> in
        if isProduced { return Empty().eraseToAnyPublisher() }
        isProduced = true
        return clock.timerPublisher(every: .seconds(1)).autoconnect()
          .scan(0) { count, _ in count + 1 }
          .eraseToAnyPublisher()
      }
      .subscribe(recorder)
    for second in 0...3 { clock.at(Double(second)) { subject.send(second) } }
    clock.advance(toSecond: 4)
    #expect(recorder.values == [1, 2, 3, 4])
  }

  @Test("11: finishes when the outer and all inner have")
  func finishes() {
    let outer = PassthroughSubject<Int, Never>()
    let inner = [PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>()]
    let recorder = Recorder<Int, Never>()
    outer.flatMap { inner[$0] }.subscribe(recorder)
    outer.send(0)
    outer.send(1)
    inner[0].send(10)
    inner[0].send(completion: .finished)
    inner[1].send(20)
    outer.send(completion: .finished)
    #expect(recorder.completions.isEmpty)
    inner[1].send(21)
    inner[1].send(completion: .finished)
    #expect(recorder.values == [10, 20, 21])
    #expect(recorder.isFinished)
  }

  @Test("12: an inner failure ends everything at once")
  func innerFailure() {
    let outer = PassthroughSubject<Int, TestError>()
    let inner = [PassthroughSubject<Int, TestError>(), PassthroughSubject<Int, TestError>()]
    var cancels: [String] = []
    let recorder = Recorder<Int, TestError>()
    outer.handleEvents(receiveCancel: { cancels.append("outer") })
      .flatMap { index in
        inner[index].handleEvents(receiveCancel: { cancels.append("inner\(index)") })
      }
      .subscribe(recorder)
    outer.send(0)
    outer.send(1)
    inner[0].send(completion: .failure(TestError("inner")))
    #expect(recorder.failure == TestError("inner"))
    #expect(cancels.sorted() == ["inner1", "outer"])
    inner[1].send(1)
    outer.send(1)
    #expect(recorder.values == [])
  }
}
