import FlowCore
import FlowLanguage
import FlowTestSupport
import Testing

@Suite("exhaustMap, sample(when:), pairwise, pace, log, Record, Optional")
struct SamplingTests {
  @Test(
    "a pipeline that finishes by itself publishes",
    arguments: [
      ("(1...4).publisher.pairwise()", "[1,2] [2,3] [3,4]"), ("Just(1).pairwise()", ""),
      ("(1...4).publisher.pairwise().map { b, a in a - b }", "1 1 1"),
      (
        "[8, 9].publisher.enumerated()",
        "{\"offset\":0,\"element\":8} {\"offset\":1,\"element\":9}"
      ), ("Empty().enumerated()", ""),
      ("(1...9).publisher.enumerated().filter { $0.offset % 4 == 0 }.map(\\.element)", "1 5 9"),
      ("(1...3).publisher.exhaustMap { [$0, $0 * 10].publisher }", "1 10 2 20 3 30"),
      ("Empty().exhaustMap { Just($0) }", ""), ("(1...3).publisher.pace(9, per: 1)", "1 2 3"),
      ("(1...3).publisher.log(\"x\")", "1 2 3"),
      ("Record(output: [1, 2, 3], completion: .finished)", "1 2 3"),
      ("Record(output: [], completion: .finished)", ""), ("Record(output: 1...3)", "1 2 3"),
      ("Record(output: [1, 2], completion: Subscribers.Completion.finished).map { $0 * 2 }", "2 4"),
      (
        "Record(output: [1], completion: .failure(\"no\")).catch { Just($0.message) }", "1 \"no\""
      ),
      (
        "Record(output: [], completion: .failure(.closed)).catch { Just($0.message) }", "\"closed\""
      ),
      ("Optional(3).publisher", "3"), ("Optional(null).publisher", ""), ("nil.publisher", ""),
      ("Optional([1, 2]).publisher", "[1,2]"), ("null.publisher.replaceEmpty(with: 0)", "0"),
      (
        "[[\"u\": 1], [\"u\": null], [\"u\": [2, 3]], [\"v\": 4]].publisher"
          + ".flatMap { $0.u.publisher }",
        "1 2 3"
      ),
      (
        "[[\"u\": 1], [\"u\": null], [\"u\": [2, 3]]].publisher"
          + ".flatMap { order in Optional(order.u).publisher.map { [$0] } }",
        "[1] [[2,3]]"
      ), ("[\"a\"].publisher.flatMap { $0.first.publisher }", "\"a\""),
    ] as [(String, String)]
  )
  func finite(_ text: String, _ expected: String) throws {
    let recorder = try TestHost().run(text)
    #expect(recorder.joined == expected)
    #expect(recorder.completions == [.finished])
  }

  @Test(
    "what is wrong is said",
    arguments: [
      (
        "Record { $0.receive(1) }",
        "Record needs \"output:\": Record(output: [value, …], completion: .finished) or "
          + "Record(output: [value, …], completion: .failure(text))"
      ),
      (
        "Record(output: 1, completion: .finished)",
        "publisher needs an array or a range, not an Int"
      ),
      (
        "Record(output: [1], completion: finished)",
        "expected .finished or .failure(\"text\"), found finished"
      ), ("Optional(1, 2).publisher", "Optional takes one value"),
      (
        "taps.window(10, every: .seconds(1))",
        "the two must be counts or times: window(10, every: 1) or "
          + "window(.seconds(10), every: .seconds(1))"
      ), ("taps.window(0, every: 1)", "expected an integer from 1 to 65536"),
      (
        "taps.window(0.05, every: 0.02)",
        "expected a count, which is an integer, or a time"
      ),
      (
        "taps.window(.seconds(1), every: 0.5)",
        "expected a count, which is an integer, or a time"
      ),
      (
        "taps.window(2.5) { $0.count() }",
        "expected a count, which is an integer, or a time"
      ),
      (
        "taps.window(3, every: 1) { a, b in a }",
        "the closure takes a publisher, not 2 parameters"
      ), ("taps.pace(0, per: 1)", "expected an integer of at least 1"),
      ("taps.pace(1, per: 0)", "expected a time from 1 ms to 90 years"),
      ("taps.sample(taps)", "missing label: sample(when: publisher)"),
      (
        "taps.sample(when: 100)",
        "sample(when: publisher) takes a publisher; window(1, every: 100) samples by count"
      ),
      (
        "taps.join(taps, within: 1)",
        "join needs \"on:\": join(publisher, on: { value in … }, within: time) { a, b in … }"
      ), ("taps.exhaustMap { $0 }", "expected a publisher, found a value"),
    ] as [(String, String)]
  )
  func mistakes(_ text: String, _ message: String) throws {
    let diagnostic = #expect(throws: Diagnostic.self) {
      try TestHost(subjects: "taps").pipeline(text)
    }
    #expect(diagnostic?.message == message)
  }

  @Test("a fraction where a count or a time may stand is told how a time is written")
  func fraction() throws {
    let diagnostic = #expect(throws: Diagnostic.self) {
      try TestHost(subjects: "taps").pipeline("taps.window(0.05, every: 0.02)")
    }
    #expect(diagnostic?.suggestion == ".seconds(0.05)")
  }

  @Test("what comes while a publisher of exhaustMap is at work is dropped, and counted")
  func exhaust() throws {
    let host = TestHost(subjects: "taps")
    let pipeline = try host.pipeline("taps.exhaustMap { n in Just(n * 10).delay(for: 2.5) }")
    let counters = StageCounters(count: 2)
    host.counters = counters
    let recorder = Recorder(host.clock)
    pipeline.publisher(in: host).subscribe(recorder)
    host.send(1...6, to: "taps")
    host.wait(until: 9)
    #expect(recorder.joined == "10 40")
    #expect(host.drops == [.busy: 4])
    #expect(pipeline.figures(of: [counters])[1].dropped == 4)
  }

  @Test("sample(when:) publishes what is new when the other publishes")
  func sample() throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run(
      "taps.sample(when: Timer.publish(every: .seconds(2)).autoconnect())"
    )
    for (second, number) in [(1.0, "1"), (1.5, "2"), (3, "3"), (6.5, "4")] {
      host.wait(until: second)
      host.send(number, to: "taps")
    }
    host.wait(until: 9)
    #expect(recorder.joined == "2 3 4")
    #expect(recorder.times == [2, 4, 8])
    host.subjects["taps"]?.send(completion: .finished)
    #expect(recorder.completions == [.finished])
    #expect(host.clock.nextDeadline == nil)
  }

  @Test("pace asks for no more than may pass, so that nothing is lost")
  func pace() throws {
    let host = TestHost()
    let recorder = Recorder(host.clock)
    try host.pipeline("probe.pace(2, per: .milliseconds(500))").publisher(in: host)
      .subscribe(recorder)
    #expect(host.probe.demand == .max(2))
    #expect(host.probe.send(.int(1)) && host.probe.send(.int(2)) && !host.probe.send(.int(3)))
    host.wait(until: 0.499)
    #expect(host.probe.demand == .none)
    host.wait(until: 0.5)
    #expect(host.probe.demand == .max(2))
    recorder.cancel()
    #expect(host.clock.nextDeadline == nil)
    #expect(
      try host.pipeline("probe.pace(2, per: .milliseconds(500))").stages[1].rate?.perSecond == 4
    )
  }

  @Test("log tells what happens without values, in few lines")
  func log() throws {
    let host = TestHost(subjects: "taps")
    let recorder = Recorder(host.clock, demand: .max(2))
    try host.pipeline("taps.log(\"t\")").publisher(in: host).subscribe(recorder)
    recorder.subscription?.request(.unlimited)
    for number in 1...150 { host.send("\(number)", to: "taps") }
    host.subjects["taps"]?.send(completion: .finished)
    #expect(
      host.lines == [
        "t: subscribed", "t: first request: 2", "t: 1 value", "t: 10 values", "t: 100 values",
        "t: finished after 150 values",
      ]
    )
  }

  @Test("log tells of a failure its code only, and of a cancellation")
  func logEnds() throws {
    let host = TestHost(subjects: "taps")
    _ = try host.run("Fail(\"secret\").log(\"f\")")
    #expect(
      host.lines == [
        "f: subscribed", "f: first request: unlimited", "f: failed with stage after 0 values",
      ]
        || host.lines == ["f: subscribed", "f: failed with stage after 0 values"],
      "\(host.lines)"
    )
    host.lines = []
    let recorder = try host.run("taps.log()")
    recorder.cancel()
    #expect(host.lines == ["subscribed", "first request: unlimited", "cancelled after 0 values"])
    #expect(try host.pipeline("taps.log(\"x\")").prints)
  }

  @Test("a Record sends its failure with its last value")
  func record() throws {
    let host = TestHost()
    let recorder = Recorder(host.clock, demand: .max(1))
    try host.pipeline("Record(output: [1, 2], completion: .failure(\"no\"))").publisher(in: host)
      .subscribe(recorder)
    #expect(recorder.joined == "1" && recorder.completions == [])
    recorder.subscription?.request(.max(1))
    #expect(recorder.joined == "1 2")
    #expect(recorder.failure?.message == "no")
    let empty = try host.run("Record(output: [], completion: .failure(\"gone\"))")
    #expect(empty.failure?.message == "gone")
  }
}
