import FlowCore
import FlowLanguage
import Testing

@Suite("The figures of stages")
struct CountingTests {
  /// A pipeline of every operator, and some of several.
  static let pipelines =
    OperatorTable.all.filter { $0.role != .ending }.map(\.example) + [
      "taps.filter { $0 % 2 == 0 }.map { $0 * 10 }.dropFirst(2)",
      "taps.buffer(size: 4, prefetch: .byRequest, whenFull: .dropNewest).delay(for: 1)",
      "taps.buffer(size: 3, prefetch: .keepFull, whenFull: .dropOldest)"
        + ".flatMap(maxPublishers: .max(2)) { [$0, $0].publisher.delay(for: 0.5) }",
      "taps.prefix(while: { $0 < 40 })", "taps.first()", "taps.first { $0 > 12 }",
      "taps.merge(with: orders.map { $0 + 1 }, returns).filter { $0 % 3 > 0 }",
      "taps.share().map { $0 }.filter { $0 % 2 == 0 }",
      "taps.map { $0 < 30 ? $0 : fail(\"no\") }.catch { [7, 8, 9].publisher }.map { $0 }",
      "(1...20).publisher.flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 0.5) }",
    ]

  /// A host on which each step is the same as on another one made with the same seed.
  private final class Script {
    let host = TestHost(subjects: "taps", "orders", "returns")
    let pipeline: Pipeline
    let recorder: Recorder
    private(set) var asked = 0
    private var random: SeededGenerator
    private var number = 0

    init(_ text: String, seed: UInt64, counts: Bool) throws {
      random = SeededGenerator(seed: seed)
      pipeline = try host.pipeline(text)
      if counts { host.counters = StageCounters(count: pipeline.stages.count) }
      recorder = Recorder(host.clock, demand: .none)
      pipeline.publisher(in: host).subscribe(recorder)
    }

    func step() {
      switch Int.random(in: 0..<10, using: &random) {
      case 0...5:
        number += 1
        let name = ["taps", "taps", "orders", "returns"].randomElement(using: &random) ?? "taps"
        host.send("\(number)", to: name)
      case 6, 7:
        let count = Int.random(in: 1...4, using: &random)
        asked += count
        recorder.subscription?.request(.max(count))
      default: host.wait(until: Double(host.clock.now.nanoseconds) / 1e9 + 0.4)
      }
    }
  }

  @Test("balance at each moment, whatever is asked for", arguments: pipelines)
  func balance(_ text: String) throws {
    for seed in UInt64(1)...8 {
      let script = try Script(text, seed: seed, counts: true)
      let counters = try #require(script.host.counters)
      for _ in 0..<120 {
        script.step()
        let isOver = !script.recorder.completions.isEmpty
        let figures = script.pipeline.figures(of: [counters])
        for (stage, figures) in zip(script.pipeline.stages, figures) {
          let gone = figures.sent + figures.dropped + figures.held + figures.consumed
          #expect(figures.taken + figures.made == gone + figures.left, "\(stage.text): \(figures)")
          #expect(isOver || figures.left == 0, "\(stage.text): \(figures)")
          #expect(figures.left >= 0 && figures.held >= 0 && figures.demand >= 0)
          #expect(figures.consumed >= 0, "\(stage.text): \(figures)")
          if let limit = stage.demand.holds.limit { #expect(figures.held <= limit) }
        }
        let last = try #require(figures.last)
        #expect(last.sent == script.recorder.values.count)
        if !isOver { #expect(last.demand == script.asked - last.sent) }
      }
    }
  }

  @Test("change neither what comes out nor what is asked for", arguments: pipelines)
  func transparent(_ text: String) throws {
    for seed in UInt64(1)...8 {
      let counted = try Script(text, seed: seed, counts: true)
      let plain = try Script(text, seed: seed, counts: false)
      for _ in 0..<120 {
        counted.step()
        plain.step()
      }
      #expect(counted.recorder.values == plain.recorder.values)
      #expect(counted.recorder.times == plain.recorder.times)
      #expect(counted.recorder.completions == plain.recorder.completions)
      #expect(counted.host.demands == plain.host.demands)
      #expect(counted.host.drops == plain.host.drops)
    }
  }

  @Test("tell what each stage has done")
  func figures() throws {
    let host = TestHost(subjects: "taps")
    let text =
      "taps.filter { $0 % 2 == 0 }"
      + ".buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)"
      + ".flatMap(maxPublishers: .max(1)) { [$0, $0].publisher.delay(for: 1) }"
    let pipeline = try host.pipeline(text)
    let counters = StageCounters(count: 4)
    host.counters = counters
    let recorder = Recorder(host.clock, demand: .max(3))
    pipeline.publisher(in: host).subscribe(recorder)
    for number in 1...10 { host.send("\(number)", to: "taps") }
    host.wait(until: 1.5)
    #expect(
      pipeline.figures(of: [counters]) == [
        StageFigures(taken: 10, sent: 10, demand: .max),
        StageFigures(taken: 10, sent: 5, consumed: 5, demand: .max),
        StageFigures(taken: 5, sent: 1, dropped: 2, held: 2),
        StageFigures(taken: 1, made: 1, sent: 1, consumed: 1, demand: 2, publishers: 1),
      ]
    )
    recorder.cancel()
    pipeline.runEnds(counters, nil, at: 0)
    #expect(pipeline.figures(of: []).map(\.left) == [0, 0, 2, 0])
    #expect(pipeline.figures(of: []).map(\.sent) == [10, 5, 1, 1])
    #expect(pipeline.figures(of: []).map(\.demand) == [0, 0, 0, 0])
  }

  @Test("tell what those have left out that thin out, as of those that filter")
  func thinnedOut() throws {
    let host = TestHost(subjects: "taps", "keys")
    let all = [
      "taps.debounce(for: 1)", "taps.throttle(for: 1, latest: true)",
      "taps.throttle(for: 1, latest: false)", "taps.sample(when: keys)",
    ]
    let runs = try all.map { text in
      let (pipeline, counters) = (try host.pipeline(text), StageCounters(count: 2))
      host.counters = counters
      let recorder = Recorder(host.clock, demand: .max(2))
      pipeline.publisher(in: host).subscribe(recorder)
      return (pipeline, counters, recorder)
    }
    func figures() -> [StageFigures] {
      runs.map { pipeline, counters, _ in pipeline.figures(of: [counters])[1] }
    }
    for number in 1...5 { host.send("\(number)", to: "taps") }
    // The first has gone through throttle, and what is inside may go on.
    host.wait(until: 0.5)
    let inside = StageFigures(taken: 5, sent: 0, held: 1, consumed: 4, demand: 2)
    #expect(figures()[0] == inside)
    #expect(figures()[3] == inside)
    host.send("a", to: "keys")
    host.wait(until: 3)
    for number in 6...9 { host.send("\(number)", to: "taps") }
    host.send("b", to: "keys")
    host.wait(until: 9)
    #expect(figures().map(\.sent) == [2, 2, 2, 2])
    #expect(figures().map(\.held) == [0, 0, 0, 0])
    #expect(figures().map { $0.taken - $0.sent - $0.dropped - $0.consumed } == [0, 0, 0, 0])
    #expect(figures()[0] == StageFigures(taken: 9, sent: 2, consumed: 7))
    #expect(figures()[3] == StageFigures(taken: 9, sent: 2, consumed: 7))
    // Now nothing is asked for: what is due is dropped and told, what has not been due is left out.
    host.drops = [:]
    for number in 10...12 { host.send("\(number)", to: "taps") }
    host.wait(until: 20)
    #expect(figures()[0] == StageFigures(taken: 12, sent: 2, dropped: 1, consumed: 9))
    #expect(figures()[3] == StageFigures(taken: 12, sent: 2, held: 1, consumed: 9))
    for run in runs { run.2.cancel() }
    #expect(figures()[3].left == 1 && figures()[3].held == 0)
  }

  @Test("take in what comes from the other publishers that a stage joins")
  func joined() throws {
    for text in [
      "taps.zip(orders)", "taps.combineLatest(orders)", "taps.withLatest(from: orders)",
      "taps.join(orders, on: { $0 }, within: 9)", "taps.merge(with: orders)",
    ] {
      let host = TestHost(subjects: "taps", "orders")
      let pipeline = try host.pipeline(text)
      let counters = StageCounters(count: pipeline.stages.count)
      host.counters = counters
      pipeline.publisher(in: host).subscribe(Recorder(host.clock, demand: .max(5)))
      func figures() throws -> StageFigures {
        try #require(pipeline.figures(of: [counters]).last)
      }
      for number in 1...3 { host.send("\(number)", to: "orders") }
      let first = try figures()
      #expect(first.taken == 3 && first.consumed >= 0, "\(text): \(first)")
      host.send("1", to: "taps")
      let second = try figures()
      #expect(second.taken == 4 && second.consumed >= first.consumed, "\(text): \(second)")
    }
    let host = TestHost(subjects: "taps", "orders")
    let pipeline = try host.pipeline("taps.zip(orders)")
    let counters = StageCounters(count: 2)
    host.counters = counters
    let recorder = Recorder(host.clock, demand: .max(5))
    pipeline.publisher(in: host).subscribe(recorder)
    for number in 1...3 { host.send("\(number)", to: "orders") }
    #expect(pipeline.figures(of: [counters])[1] == StageFigures(taken: 3, held: 3, demand: 5))
    host.send("1", to: "taps")
    let figures = StageFigures(taken: 4, made: 1, sent: 1, held: 2, consumed: 2, demand: 4)
    #expect(pipeline.figures(of: [counters])[1] == figures)
  }

  @Test("tell of what waits for the clock in a timeout, and of what is left there")
  func timedOut() throws {
    let host = TestHost(subjects: "taps")
    let pipeline = try host.pipeline("taps.timeout(3)")
    let counters = StageCounters(count: 2)
    host.counters = counters
    let recorder = Recorder(host.clock, demand: .max(9))
    pipeline.publisher(in: host).subscribe(recorder)
    for number in 1...3 { host.send("\(number)", to: "taps") }
    #expect(pipeline.figures(of: [counters])[1] == StageFigures(taken: 3, held: 3, demand: 9))
    host.wait(until: 1)
    #expect(pipeline.figures(of: [counters])[1] == StageFigures(taken: 3, sent: 3, demand: 6))
    for number in 4...5 { host.send("\(number)", to: "taps") }
    recorder.cancel()
    #expect(pipeline.figures(of: [counters])[1] == StageFigures(taken: 5, sent: 3, left: 2))
    #expect(recorder.joined == "1 2 3")
  }

  @Test("are told of a switch between publishers as of any other source")
  func selection() throws {
    let host = TestHost(subjects: "taps", "orders")
    let pipeline = try host.pipeline("switch 1 { case 1: taps default: orders }.map { $0 + 1 }")
    let counters = StageCounters(count: 2)
    host.counters = counters
    pipeline.publisher(in: host).subscribe(Recorder(host.clock, demand: .max(5)))
    for number in 1...3 { host.send("\(number)", to: "taps") }
    #expect(
      pipeline.figures(of: [counters]) == [
        StageFigures(taken: 3, sent: 3, demand: 2),
        StageFigures(taken: 3, sent: 3, demand: 2),
      ]
    )
  }

  @Test("are added up over runs, but for what runs once for all")
  func shared() throws {
    let host = TestHost(subjects: "taps")
    let pipeline = try host.pipeline("taps.map { $0 }.share().filter { $0 % 2 == 0 }")
    var runs: [StageCounters] = []
    for _ in 1...3 {
      let counters = StageCounters(count: 4)
      host.counters = counters
      runs.append(counters)
      pipeline.publisher(in: host).subscribe(Recorder(host.clock))
    }
    for number in 1...5 { host.send("\(number)", to: "taps") }
    let figures = pipeline.figures(of: runs)
    #expect(figures.map(\.taken) == [5, 5, 15, 15])
    #expect(figures.map(\.sent) == [5, 5, 15, 6])
    #expect(figures.map(\.consumed) == [0, 0, 0, 9])
    #expect(figures.map(\.demand) == [.max, .max, .max, .max])
  }

  @Test("tell what a subscriber of something shared has missed, at once")
  func sharedMisses() throws {
    let host = TestHost(subjects: "taps")
    let pipeline = try host.pipeline("taps.filter { $0 > 1 }.share().map { $0 }")
    let quick = Recorder(host.clock)
    pipeline.publisher(in: host).subscribe(quick)
    let counters = StageCounters(count: 4)
    host.counters = counters
    let slow = Recorder(host.clock, demand: .none)
    host.send("2", to: "taps")
    pipeline.publisher(in: host).subscribe(slow)
    for number in 1...5 { host.send("\(number)", to: "taps") }
    #expect(host.drops == [.noDemand: 4])
    #expect(pipeline.figures(of: [counters])[2] == StageFigures(taken: 4, dropped: 4))
    slow.subscription?.request(.max(1))
    host.send("6", to: "taps")
    #expect(host.drops == [.noDemand: 4])
    host.send("7", to: "taps")
    host.subjects["taps"]?.send(completion: .finished)
    #expect(host.drops == [.noDemand: 5])
    #expect(quick.values == ["2", "2", "3", "4", "5", "6", "7"])
    #expect(slow.values == ["6"])
    let share = pipeline.figures(of: [counters])[2]
    #expect(share.taken == 6 && share.sent == 1 && share.dropped == 5)
  }

  @Test("keep the last failure, with its time")
  func failure() throws {
    let host = TestHost(subjects: "taps")
    let pipeline = try host.pipeline("taps.map { $0 + 1 }")
    let failure = PipelineFailure(code: "stage", message: "it broke")
    pipeline.runEnds(StageCounters(count: 2), failure, at: 7)
    pipeline.runEnds(StageCounters(count: 2), nil, at: 9)
    #expect(pipeline.history.lastFailure?.failure == failure)
    #expect(pipeline.history.lastFailure?.time == 7)
  }
}

/// The same numbers for the same seed.
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}
