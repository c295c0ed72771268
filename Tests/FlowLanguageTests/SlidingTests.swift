import FlowCore
import FlowLanguage
import FlowTestSupport
import Testing

@Suite("Windows that overlap")
struct SlidingTests {
  @Test(
    "by count",
    arguments: [
      ("(1...5).publisher.window(3, every: 1)", "[1,2,3] [2,3,4] [3,4,5]"),
      ("(1...5).publisher.window(2, every: 2)", "[1,2] [3,4]"),
      ("(1...9).publisher.window(2, every: 4)", "[1,2] [5,6]"),
      ("(1...3).publisher.window(1, every: 1)", "[1] [2] [3]"),
      ("(1...3).publisher.window(4, every: 1)", ""),
      ("(1...5).publisher.window(3, every: 1) { $0.average() }", "2.0 3.0 4.0"),
      ("(1...4).publisher.window(2, every: 1) { w in w.sum().map { $0 * 10 } }", "30 50 70"),
      ("(1...4).publisher.window(3, every: 1) { $0 }", "1 2 3 2 3 4"),
      ("(1...4).publisher.window(2, every: 1) { $0.first() }", "1 2 3"),
      (
        "(1...4).publisher.window(2, every: 1) { w in w.zip(w.dropFirst()) }",
        "[1,2] [2,3] [3,4]"
      ),
      ("(1...40).publisher.window(30, every: 10) { $0.count() }", "30 30"),
    ] as [(String, String)]
  )
  func counted(_ text: String, _ expected: String) throws {
    let recorder = try TestHost().run(text)
    #expect(recorder.joined == expected)
    #expect(recorder.completions == [.finished])
  }

  @Test("by count they pass on demand, so that nothing is lost")
  func demand() throws {
    let host = TestHost()
    let recorder = Recorder(host.clock, demand: .max(2))
    try host.pipeline("probe.window(2, every: 1) { $0.sum() }").publisher(in: host)
      .subscribe(recorder)
    for number in 1...3 { #expect(host.probe.send(value("\(number)"))) }
    #expect(host.probe.send(value("4")))
    #expect(!host.probe.send(value("5")))
    #expect(recorder.joined == "3 5")
    recorder.subscription?.request(.max(1))
    #expect(recorder.joined == "3 5 7")
    #expect(host.probe.send(value("5")))
  }

  /// Sends each value half a second before as many seconds as it counts.
  private func timed(_ text: String, sending values: ClosedRange<Int>) throws -> (
    TestHost, Recorder
  ) {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run(text)
    for number in values {
      host.wait(until: Double(number) - 0.5)
      host.send("\(number)", to: "taps")
    }
    return (host, recorder)
  }

  @Test("by time, whether or not there are values")
  func inTime() throws {
    let (host, recorder) = try timed("taps.window(.seconds(3), every: .seconds(2))", sending: 1...5)
    host.wait(until: 12.5)
    #expect(recorder.values == ["[1,2]", "[2,3,4]", "[4,5]", "[]", "[]", "[]"])
    #expect(recorder.times == [2, 4, 6, 8, 10, 12])
    #expect(host.memoryBudget.bytes == 0)
  }

  @Test("by time with a closure")
  func inTimeWithClosure() throws {
    let (host, recorder) = try timed(
      "taps.window(.seconds(10), every: .seconds(5)) { $0.sum() }",
      sending: 1...7
    )
    host.wait(until: 26)
    #expect(recorder.times == [5, 10, 15, 20, 25])
    #expect(recorder.values.suffix(2) == ["0", "0"])
    host.subjects["taps"]?.send(completion: .finished)
    #expect(recorder.completions == [.finished])
  }

  @Test("at the end there is one more with what has come since the last")
  func end() throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run("taps.window(.seconds(10), every: .seconds(4))")
    host.wait(until: 1)
    host.send("1", to: "taps")
    host.wait(until: 5)
    host.send("2", to: "taps")
    host.subjects["taps"]?.send(completion: .finished)
    #expect(recorder.values == ["[1]", "[1,2]"])
    #expect(recorder.completions == [.finished])
    #expect(host.clock.nextDeadline == nil)
    #expect(host.memoryBudget.bytes == 0)
  }

  @Test("without news the end comes at once, and a failure always")
  func plainEnd() throws {
    for completion in [
      Subscribers.Completion<PipelineFailure>.finished, .failure(.init(code: "x", message: "y")),
    ] {
      let host = TestHost(subjects: "taps")
      let recorder = try host.run("taps.window(.seconds(10), every: .seconds(4))")
      host.send("1", to: "taps")
      host.wait(until: 4.5)
      if case .failure = completion { host.send("2", to: "taps") }
      host.subjects["taps"]?.send(completion: completion)
      #expect(recorder.values == ["[1]"])
      #expect(recorder.completions == [completion])
      #expect(host.clock.nextDeadline == nil)
    }
  }

  @Test("a window without demand is dropped and counted; the last one waits")
  func dropped() throws {
    let host = TestHost(subjects: "taps")
    let recorder = Recorder(host.clock, demand: .none)
    try host.pipeline("taps.window(.seconds(2), every: .seconds(1))").publisher(in: host)
      .subscribe(recorder)
    host.send("1", to: "taps")
    host.wait(until: 3.5)
    #expect(host.drops == [.noDemand: 3])
    host.send("2", to: "taps")
    host.subjects["taps"]?.send(completion: .finished)
    #expect(recorder.completions == [])
    recorder.subscription?.request(.max(1))
    #expect(recorder.joined == "[2]")
    #expect(recorder.completions == [.finished])
  }

  @Test("by time they hold 65536 values, and then ask for no more until the oldest are too old")
  func full() throws {
    let host = TestHost()
    let recorder = Recorder(host.clock)
    try host.pipeline("probe.window(.seconds(10), every: .seconds(4)) { $0.count() }")
      .publisher(in: host).subscribe(recorder)
    for _ in 0..<65_536 { host.probe.send(.int(1)) }
    #expect(host.probe.demand == .none)
    for second in [4.5, 8.5] {
      host.wait(until: second)
      while host.isTurnDue { host.turn() }
      #expect(host.probe.demand == .none)
    }
    host.wait(until: 12.5)
    while host.isTurnDue { host.turn() }
    #expect(host.probe.demand == .max(1))
    #expect(recorder.values.last == "0")
    recorder.cancel()
    #expect(host.memoryBudget.bytes == 0)
  }

  @Test(
    "cancelled at any time nothing stays",
    arguments: [
      "taps.window(3, every: 1)", "taps.window(3, every: 2) { $0.sum() }",
      "taps.window(.seconds(3), every: .seconds(1)) { $0.sum() }",
    ]
  )
  func cancelled(_ text: String) throws {
    for moment in 0...6 {
      let host = TestHost(subjects: "taps")
      do {
        let recorder = Recorder(host.clock, demand: .max(2))
        try host.pipeline(text).publisher(in: host).subscribe(recorder)
        for step in 1...6 {
          if step == moment { recorder.cancel() }
          host.send("\(step)", to: "taps")
          host.wait(until: Double(step))
        }
        recorder.cancel()
      }
      #expect(host.memoryBudget.bytes == 0)
      #expect(host.clock.nextDeadline == nil)
    }
  }

  @Test("EXPLAIN tells what they hold")
  func explained() throws {
    let host = TestHost(subjects: "taps")
    let rows = [
      ("taps.window(10, every: 1)", "10"), ("taps.window(10, every: 1) { $0.sum() }", "10"),
      ("taps.window(.seconds(10), every: 1.5) { $0.sum() }", ""),
      ("taps.window(.seconds(10), every: .seconds(1)) { $0.sum() }", "65536"),
    ]
    for (text, held) in rows where !held.isEmpty {
      #expect(try host.pipeline(text).stages.last?.demand.holds.text == held)
    }
    let diagnostic = #expect(throws: Diagnostic.self) { try host.pipeline(rows[2].0) }
    #expect(diagnostic?.message == "expected a count, which is an integer, or a time")
  }
}
