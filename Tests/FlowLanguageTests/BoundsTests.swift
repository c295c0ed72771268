import FlowCore
import FlowLanguage
import Testing

@Suite("Bounds of a running pipeline")
struct BoundsTests {
  private func start(
    _ text: String,
    on host: TestHost,
    demand: Subscribers.Demand = .max(1)
  ) throws -> Recorder {
    let recorder = Recorder(host.clock, demand: demand)
    try host.pipeline(text).publisher(in: host).subscribe(recorder)
    return recorder
  }

  @Test(
    "a pipeline that never has a value gives the turn back, again and again",
    arguments: [
      "(1...1000000000000).publisher.filter { $0 < 0 }",
      "(1...1000000000000).publisher.reduce(0) { $0 + 1 }",
      "(1...1000000000000).publisher.compactMap { null }",
      "(1...1000000000000).publisher.dropFirst(1000000000000)",
      "(1...1000000000000).publisher.first { $0 < 0 }",
      "(1...1000000000000).publisher.flatMap { Empty() }",
      "(1...1000000000000).publisher.flatMap(maxPublishers: .max(1)) { Empty() }",
      "(1...1000000000000).publisher.flatMap { (1...1000000).publisher }.filter { false }",
      "(1...1000000000000).publisher.merge(with: (1...1000000000000).publisher).filter { false }",
      "Fail(\"no\").retry(1000000000000)",
      "Just(1).map { fail(\"no\") }.retry(1000000000000)",
      "(1...1000000000000).publisher.map { fail(\"no\") }.retry(1000000000000)",
    ]
  )
  func endless(_ text: String) throws {
    let host = TestHost()
    let recorder = try start(text, on: host)
    for _ in 1...5 {
      #expect(host.isTurnDue)
      host.turn()
    }
    recorder.cancel()
    host.turn()
    #expect(!host.isTurnDue)
    #expect(recorder.values.isEmpty)
    #expect(recorder.completions.isEmpty)
  }

  @Test("a long search finds its value, some turns later")
  func search() throws {
    let host = TestHost()
    let recorder = try start("(1...20000).publisher.filter { $0 > 19999 }", on: host)
    var turns = 0
    while host.isTurnDue {
      #expect(recorder.values.isEmpty)
      host.turn()
      turns += 1
    }
    #expect(recorder.values == ["20000"])
    #expect(recorder.completions == [.finished])
    #expect(turns > 10)
  }

  @Test("retries that fail at once come to an end, some turns later")
  func retries() throws {
    let host = TestHost()
    let recorder = try start("Fail(\"no\").retry(20000)", on: host)
    #expect(host.isTurnDue)
    while host.isTurnDue { host.turn() }
    #expect(recorder.failure?.message == "no")
  }

  @Test("those that wait for a turn take turns")
  func fairness() throws {
    let host = TestHost()
    let hog = try start("(1...1000000000000).publisher.filter { false }", on: host)
    let first = try start("(1...2000).publisher.filter { $0 > 1999 }", on: host)
    let second = try start("(1...2000).publisher.filter { $0 > 1999 }", on: host)
    for _ in 1...40 { host.turn() }
    #expect(first.values == ["2000"])
    #expect(second.values == ["2000"])
    hog.cancel()
  }

  @Test("what is asked for between turns comes in order")
  func order() throws {
    let host = TestHost()
    let hog = try start("(1...1000000000000).publisher.filter { false }", on: host)
    let recorder = try start("(1...100).publisher", on: host)
    #expect(recorder.values.isEmpty)
    recorder.subscription?.request(.max(2))
    host.turn()
    host.turn()
    recorder.subscription?.request(.max(1))
    #expect(recorder.joined == "1 2 3")
    hog.cancel()
  }

  @Test("the flatMaps of a pipeline have so many publishers open at most")
  func inner() throws {
    let host = TestHost(memoryBudget: MemoryBudget(innerPublishers: 50))
    let recorder = try start(
      "(1...10).publisher.flatMap { (1...10).publisher.flatMap { Just($0) } }",
      on: host
    )
    #expect(recorder.failure?.code == "limit")
    // What has ended does not count.
    let sum = try host.run(
      "(1...1000).publisher.flatMap { (1...10).publisher.flatMap { Just($0).delay(for: 0) } }"
        .replacing("flatMap {", with: "flatMap(maxPublishers: .max(3)) {")
    )
    host.wait(until: 1)
    while host.isTurnDue {
      host.turn()
      host.wait(until: 2)
    }
    #expect(sum.values.count == 10_000)
  }

  @Test("one publisher more than a flatMap may hold is a failure of that stage")
  func tooManyPublishers() throws {
    let host = TestHost(subjects: "taps")
    host.innerPublisherLimit = 3
    let text = "taps.flatMap { if $0 < 0 { Just($0) } else { Just($0).delay(for: 10) } }"
    let recorder = try host.run(text)
    for value in ["1", "2", "-1", "3", "-2"] { host.send(value, to: "taps") }
    #expect(recorder.joined == "-1 -2")
    #expect(recorder.failure == nil)
    host.send("4", to: "taps")
    #expect(recorder.failure?.code == "stage")
    let message = "the limit of 3 open inner publishers is reached; set maxPublishers:"
    #expect(recorder.failure?.message.hasSuffix(message) == true, "\(recorder.completions)")
    #expect(recorder.failure?.message.hasPrefix("flatMap { if ") == true)
  }

  @Test(
    "values that wait take so much memory at most",
    arguments: [
      "a.buffer(size: 1000000000, prefetch: .byRequest, whenFull: .dropOldest)",
      "a.delay(for: 1000)",
      "a.flatMap { Just($0).delay(for: 1000) }",
    ]
  )
  func memory(_ text: String) throws {
    // A flatMap holds its publishers, and what they may keep of their values, too.
    let limit = text.contains("flatMap") ? 30_000 : 10_000
    let host = TestHost(subjects: "a", memoryBudget: MemoryBudget(bytes: limit))
    let recorder = try start(text, on: host, demand: text.contains("buffer") ? .none : .unlimited)
    let value = String(repeating: "x", count: 1000)
    for _ in 1...9 { host.send(value, to: "a") }
    #expect(recorder.failure == nil)
    host.send(value, to: "a")
    // A delay takes the failure along.
    host.wait(until: 2000)
    recorder.subscription?.request(.unlimited)
    #expect(recorder.failure?.code == "limit")
  }

  @Test("what has left a buffer, dropped or taken, counts no more")
  func released() throws {
    let host = TestHost(subjects: "a", memoryBudget: MemoryBudget(bytes: 10_000))
    let text = "a.buffer(size: 5, prefetch: .byRequest, whenFull: .dropOldest)"
    var recorder: Recorder? = try start(text, on: host, demand: .none)
    let value = String(repeating: "x", count: 1000)
    for _ in 1...100 { host.send(value, to: "a") }
    recorder?.subscription?.request(.max(5))
    for _ in 1...100 { host.send(value, to: "a") }
    #expect(recorder?.values.count == 5)
    #expect(recorder?.failure == nil)
    #expect(host.drops[.bufferOldest] == 190)
    recorder?.cancel()
    recorder = nil
    let next = try start(text, on: host, demand: .none)
    for _ in 1...9 { host.send(value, to: "a") }
    next.subscription?.request(.max(9))
    #expect(next.failure == nil)
  }

  @Test("a pipeline has at most 1,024 sources, those of the pipelines it names included")
  func sources() throws {
    let host = TestHost(subjects: "a")
    let many = Array(repeating: "a", count: 999).joined(separator: ", ")
    host.pipelines["b"] = try host.pipeline("a.merge(with: \(many))")
    _ = try host.pipeline("b.merge(with: Just(1), [1].publisher, Empty())")
    let text = "b.merge(with: b)"
    let error = #expect(throws: Diagnostic.self) { try host.pipeline(text) }
    #expect(error?.text == "the pipeline has more than 1024 sources; a pattern counts as 16")
    #expect(error?.offset == 14)
  }

  @Test("a pattern counts as 16 sources")
  func patterns() throws {
    let host = TestHost(subjects: "a")
    let most = Array(repeating: "n/*", count: 62).joined(separator: ", ")
    _ = try host.pipeline("n/**.merge(with: \(most), $new/n/*)")
    let text = "n/**.merge(with: \(most), $new/n/*, a)"
    let error = #expect(throws: Diagnostic.self) { try host.pipeline(text) }
    #expect(error?.text == "the pipeline has more than 1024 sources; a pattern counts as 16")
    #expect(error?.offset == text.utf8.count - 2)
  }

  @Test(
    "a value grows and nests no further than it may, however it is made",
    arguments: [
      "(1...100000).publisher.tryScan(0) { [$0, $1] }.filter { false }",
      "(1...100000).publisher.tryScan(0) { [\"a\": $0] }.filter { false }",
      "(1...100000).publisher.tryScan([0]) { $0 + $0 }.filter { false }",
      "(1...100000).publisher.tryScan([0]) { [$0, $0] }.filter { false }",
      "(1...100000).publisher.tryScan(0) { [\"a\": $0, \"b\": $0] }.filter { false }",
    ]
  )
  func values(_ text: String) throws {
    let recorder = try start(text, on: TestHost())
    #expect(recorder.failure?.code == "stage")
  }

  @Test(
    "what comes again and again does so at most once a millisecond",
    arguments: [
      "taps.window(.nanoseconds(1)) { $0 }", "taps.window(.microseconds(999)) { $0 }",
      "taps.collect(.byTime(DispatchQueue.main, .nanoseconds(1)))",
      "taps.collect(.byTimeOrCount(DispatchQueue.main, .nanoseconds(1), 2))",
      "Timer.publish(every: .nanoseconds(1)).autoconnect()",
    ]
  )
  func repetition(text: String) throws {
    let host = TestHost(subjects: "taps")
    let error = #expect(throws: Diagnostic.self) { try host.pipeline(text) }
    #expect(error?.text == "expected a time from 1 ms to 90 years")
    let later = text.replacing("(1)", with: "(1 + $0)").replacing("(999)", with: "(999 * $0)")
    let recorder = try host.run("Just(0).flatMap { \(later) }")
    #expect(recorder.completions == [.finished])
    #expect(host.omissions.map(\.reason) == ["expected a time from 1 ms to 90 years"])
  }

  @Test("a clock that is late leaves out the ticks that have passed, and they are counted")
  func lateClock() throws {
    let host = TestHost()
    let recorder = try host.run("Timer.publish(every: .milliseconds(1)).autoconnect()")
    let windows = try host.run(
      "Timer.publish(every: 1).autoconnect().window(.milliseconds(1)) { $0.count() }"
    )
    host.clock.show(.init(nanoseconds: 5_000_500_000))
    while host.clock.runFirstDue() {}
    #expect(recorder.values == ["5000"])
    #expect(windows.values == ["0"])
    #expect(host.drops == [.noDemand: 4999 + 4])
    #expect(host.clock.skippedCount == 4999 + 4999 + 4)
    host.clock.show(.init(nanoseconds: 5_001_000_000))
    while host.clock.runFirstDue() {}
    #expect(recorder.values == ["5000", "5001"])
  }

  @Test("a Timer ticks at most once a millisecond")
  func timer() throws {
    let host = TestHost()
    let error = #expect(throws: Diagnostic.self) {
      try host.run("Timer.publish(every: 0.0005).autoconnect()")
    }
    #expect(error?.text == "expected a time from 1 ms to 90 years")
    let recorder = try host.run("Timer.publish(every: 0.001).autoconnect()")
    host.wait(until: 0.01)
    #expect(recorder.values.count == 10)
  }
}
