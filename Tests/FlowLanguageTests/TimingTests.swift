import FlowCore
import FlowLanguage
import Testing

@Suite("Operators of time, exact in virtual time")
struct TimingTests {
  private let host = TestHost(subjects: "taps")

  /// Runs `text`, with values sent at the seconds that they count.
  private func run(_ text: String, _ seconds: [Double]) throws -> [String] {
    let recorder = try host.run(text)
    for second in seconds {
      host.wait(until: second)
      host.send("\(second)", to: "taps")
    }
    host.wait(until: 30)
    return zip(recorder.values, recorder.times).map { "\($0)@\($1)" }
      + recorder.completions.map { $0 == .finished ? "end" : "failure" }
  }

  @Test(
    "what comes, and when",
    arguments: [
      ("taps.debounce(for: 0.25)", [1, 1.2, 2], ["1.2@1.45", "2.0@2.25"]),
      ("taps.debounce(for: 0.2)", [1, 1.2, 2], ["1.0@1.2", "1.2@1.4", "2.0@2.2"]),
      (
        "taps.throttle(for: .milliseconds(500), scheduler: DispatchQueue.main, latest: true)",
        [1, 1.2, 1.4, 2.6], ["1.0@1.0", "1.4@1.5", "2.6@2.6"]
      ),
      (
        "taps.throttle(for: .milliseconds(500), scheduler: RunLoop.main, latest: false)",
        [1, 1.2, 1.4, 2.6], ["1.0@1.0", "1.2@1.5", "2.6@2.6"]
      ),
      (
        "taps.timeout(.seconds(1), scheduler: .main)", [0.5, 1.25, 3],
        ["0.5@0.5", "1.25@1.25", "end"]
      ),
      ("taps.timeout(1, customError: { \"late\" })", [0.5], ["0.5@0.5", "failure"]),
      (
        "taps.timeout(1, customError: \"late\").catch { Just($0.message) }", [],
        ["\"late\"@1.0", "end"]
      ),
      ("taps.measureInterval(using: DispatchQueue.main)", [0.5, 2], ["0.5@0.5", "1.5@2.0"]),
      (
        "taps.collect(.byTime(DispatchQueue.main, .seconds(1)))", [0.5, 0.75, 2.5],
        ["[0.5,0.75]@1.0", "[2.5]@3.0"]
      ),
      (
        "taps.collect(.byTimeOrCount(DispatchQueue.main, 2, 2))", [0.5, 0.75, 1.5],
        ["[0.5,0.75]@0.75", "[1.5]@2.0"]
      ), ("taps.delay(for: .microseconds(1500))", [1], ["1.0@1.001"]),
      ("taps.delay(for: .minutes(0.25))", [1], ["1.0@16.0"]),
      ("taps.timeout(.hours(0.001))", [1], ["1.0@1.0", "end"]),
      ("taps.throttle(for: 0.5)", [1, 1.2, 1.4, 2.6], ["1.0@1.0", "1.4@1.5", "2.6@2.6"]),
      (
        "Fail(\"x\").print(\"up\").retry(2, delay: 3).replaceError(with: 0)", [], ["0@6.0", "end"]
      ),
      (
        "Fail(\"x\").retry(4, backoff: .exponential(from: 1, upTo: 3)).replaceError(with: 0)", [],
        ["0@9.0", "end"]
      ),
      (
        "Fail(\"x\").retry(3, backoff: .exponential(from: 1, factor: 3, upTo: 20))"
          + ".replaceError(with: 0)", [], ["0@13.0", "end"]
      ),
      ("Fail(\"x\").retry(2, backoff: .constant(2)).replaceError(with: 0)", [], ["0@4.0", "end"]),
      (
        "Timer.publish(every: 10, on: .main, in: .common).autoconnect().prefix(2)", [],
        ["1@10.0", "2@20.0", "end"]
      ),
      (
        "Timer.publish(every: 1).autoconnect().prefix(untilOutputFrom: taps)", [2.5],
        ["1@1.0", "2@2.0", "end"]
      ),
    ] as [(String, [Double], [String])]
  )
  func exact(_ text: String, _ seconds: [Double], _ expected: [String]) throws {
    #expect(try run(text, seconds) == expected)
  }

  @Test(
    "what is lost for want of demand is told",
    arguments: [
      ("taps.debounce(for: 1)", 2), ("taps.throttle(for: 1, latest: true)", 2),
      ("taps.throttle(for: 1, latest: false)", 2),
    ]
  )
  func lost(_ text: String, _ count: Int) throws {
    let recorder = Recorder(host.clock, demand: .max(1))
    try host.pipeline(text).publisher(in: host).subscribe(recorder)
    for second in [1.0, 3, 5] {
      host.wait(until: second)
      host.send("\(second)", to: "taps")
    }
    host.wait(until: 10)
    #expect(recorder.joined == "1.0")
    #expect(host.drops == [.noDemand: count])
  }

  @Test("collect by time keeps its last array until it is requested, then ends")
  func collected() throws {
    let recorder = Recorder(host.clock, demand: .max(1))
    try host.pipeline("taps.collect(.byTime(DispatchQueue.main, 1))").publisher(in: host)
      .subscribe(recorder)
    // The last value is not requested any more.
    for second in [0.5, 1.5, 2.5] {
      host.wait(until: second)
      host.send("\(second)", to: "taps")
    }
    host.subjects["taps"]?.send(completion: .finished)
    host.wait(until: 5)
    #expect(recorder.joined == "[0.5]")
    #expect(recorder.completions == [])
    // The subject has dropped the third value.
    #expect(host.drops == [:])
    recorder.subscription?.request(.max(1))
    host.wait(until: 5)
    #expect(recorder.joined == "[0.5] [1.5]")
    #expect(recorder.completions == [.finished])
    #expect(host.memoryBudget.bytes == 0)
  }

  @Test(
    "collect by time requests no more values than it can hold",
    arguments: [
      (".byTimeOrCount(DispatchQueue.main, 1, 65536)", "65536 34464"),
      (".byTimeOrCount(DispatchQueue.main, 1, 40000)", "40000 40000 20000"),
      (".byTime(DispatchQueue.main, 1)", "65536 34464"),
    ]
  )
  func collectedAtOnce(_ way: String, _ counts: String) throws {
    let recorder = Recorder(host.clock, demand: .max(5))
    try host.pipeline("(1...100000).publisher.collect(\(way)).map { $0.count }")
      .publisher(in: host).subscribe(recorder)
    for second in 1...5 {
      repeat {
        for _ in 0..<100_000 where host.isTurnDue { host.turn() }
        host.clock.advance(by: .nanoseconds(0))
      } while host.isTurnDue
      host.wait(until: Double(second))
    }
    #expect(recorder.joined == counts)
    #expect(recorder.completions == [.finished])
    #expect(host.memoryBudget.bytes == 0)
  }
}
