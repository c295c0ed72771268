import FlowCore
import Testing

@testable import FlowLanguage

@Suite("A value without an answer is left out")
struct LeavingOutTests {
  /// How a closure comes to have no answer for a value: in a pipeline of the subject `a`.
  struct Row: CustomStringConvertible {
    let name: String
    let text: String
    var good = ["1", "2", "5"]
    var bad = "0"

    init(_ name: String, _ text: String, good: [String] = ["1", "2", "5"], bad: String = "0") {
      (self.name, self.text, self.good, self.bad) = (name, text, good, bad)
    }

    var description: String { text }

    /// The values with the bad one before the one at `place`.
    func values(badAt place: Int) -> [String] { Array(good[..<place]) + [bad] + good[place...] }

    /// The text with the operator of Combine's that fails, if there is one.
    var trying: String? {
      let name = "try" + name.prefix(1).uppercased() + name.dropFirst()
      guard OperatorTable.entry(name) != nil else { return nil }
      return text.replacing("a.\(self.name)", with: "a.\(name)")
    }

    /// The text with a closure that says `fail` for the bad value; nil if it has no closure of that kind.
    var failing: String? {
      let failing = ["$0", "$1", "n", "key"].reduce(text) { text, value in
        text.replacing(
          "10 / \(value)",
          with: "(\(value) == 0 ? fail(\"no\") : 10 / \(value))"
        )
      }
      return failing == text ? nil : failing
    }
  }

  /// A value that has no room for anything around it.
  private static let large = "\"" + String(repeating: "x", count: 1_048_570) + "\""

  static let rows = [
    Row("map", "a.map { 10 / $0 }"),
    Row("compactMap", "a.compactMap { 10 / $0 > 2 ? $0 : null }"),
    Row("scan", "a.scan(1) { $0 + 10 / $1 }"),
    Row("enumerated", "a.enumerated()", bad: large),
    Row("timestamp", "a.timestamp()", bad: large),
    Row("flatMap", "a.flatMap { Just(10 / $0) }"),
    Row("flatMap", "a.flatMap { Just(10 / $0).retry(1) }"),
    Row("flatMap", "a.flatMap { Just($0).map { 10 / $0 } }"),
    Row("flatMap", "a.flatMap { n in Deferred { Just(10 / n) } }"),
    Row("concatMap", "a.concatMap { Just(10 / $0) }"),
    Row("flatMapLatest", "a.flatMapLatest { Just(10 / $0) }"),
    Row("exhaustMap", "a.exhaustMap { Just(10 / $0) }"),
    Row("map", "a.map { Just(10 / $0) }.switchToLatest()"),
    Row("filter", "a.filter { 10 / $0 > 2 }"),
    Row("removeDuplicates", "a.removeDuplicates { 10 / $0 == 10 / $1 }", good: ["1", "1", "2"]),
    Row(
      "removeDuplicates",
      "a.removeDuplicates(by: \\.n)",
      good: ["{\"n\":1}", "{\"n\":1}", "{\"n\":2}"],
      bad: "7"
    ),
    Row("first", "a.first { 10 / $0 < 5 }"),
    Row("last", "a.last { 10 / $0 > 2 }"),
    Row("prefix", "a.prefix { 10 / $0 > 2 }"),
    Row("drop", "a.drop { 10 / $0 > 2 }"),
    Row("reduce", "a.reduce(1) { $0 + 10 / $1 }"),
    Row("contains", "a.contains { 10 / $0 == 2 }"),
    Row("allSatisfy", "a.allSatisfy { 10 / $0 > 2 }"),
    Row("min", "a.min { 10 / $0 < 10 / $1 }"), Row("min", "a.min()", bad: "[]"),
    Row("max", "a.max { 10 / $0 < 10 / $1 }"), Row("max", "a.max()", bad: "true"),
    Row("max", "a.max(by: \\.n)", good: ["{\"n\":1}", "{\"n\":3}", "{\"n\":2}"], bad: "7"),
    Row("sum", "a.sum()", bad: "\"x\""), Row("average", "a.average()", bad: "null"),
    Row("median", "a.median()", bad: "{}"), Row("percentile", "a.percentile(0.9)", bad: "[]"),
    Row("zip", "a.zip(a) { 10 / $0 + $1 }"),
    Row("combineLatest", "a.combineLatest(Just(1)) { 10 / $0 + $1 }"),
    Row("withLatest", "a.withLatest(from: Just(1)) { 10 / $0 + $1 }"),
    Row("join", "a.join(Just(1), on: { 10 / $0 }, within: 5) { [$0, $1] }"),
    Row("join", "a.join(Just(1), on: { _ in 1 }, within: 5) { 10 / $0 + $1 }"),
    Row("group", "a.group(by: { 10 / $0 }) { $0.count() }"),
    Row("group", "a.group(by: { $0 }) { group, key in group.prefix(10 / key) }"),
    Row("window", "a.window(1) { $0.map { 10 / $0 } }"),
    Row("window", "a.window(1, every: 1) { $0.map { 10 / $0 } }"),
  ]

  /// Operators whose closures are given no values that come.
  private static let others = ["catch", "mapError", "timeout", "Deferred"]

  @Test("each operator with a closure is a row of this table")
  func complete() {
    for entry in OperatorTable.all
    where entry.signature.contains("{") && !Self.others.contains(entry.name) {
      #expect(Self.rows.contains { $0.name == entry.name }, "add a row for \(entry.name)")
    }
  }

  private func run(_ text: String, _ values: [String], on host: TestHost) throws -> Recorder {
    let recorder = try host.run(text)
    for value in values {
      host.send(value, to: "a")
      while host.isTurnDue { host.turn() }
    }
    host.subjects["a"]?.send(completion: .finished)
    host.wait(until: 20)
    while host.isTurnDue { host.turn() }
    return recorder
  }

  @Test("and the stage goes on as if it had not come, wherever it stands", arguments: rows)
  func unchanged(row: Row) throws {
    let plain = TestHost(subjects: "a")
    let expected = try run(row.text, row.good, on: plain)
    #expect(plain.omissions.isEmpty)
    #expect(expected.completions == [.finished])
    for place in row.good.indices {
      let host = TestHost(subjects: "a")
      let recorder = try run(row.text, row.values(badAt: place), on: host)
      #expect(recorder.values == expected.values, "before \(place)")
      #expect(recorder.completions == [.finished], "before \(place)")
      #expect(host.omissions.count == 1, "before \(place)")
      #expect(host.drops[.failed] == 1, "before \(place)")
    }
  }

  @Test("a stage with try ends with the reason", arguments: rows.filter { $0.trying != nil })
  func trying(row: Row) throws {
    let host = TestHost(subjects: "a")
    let recorder = try run(try #require(row.trying), row.values(badAt: 1), on: host)
    #expect(recorder.failure?.code == "stage")
    #expect(recorder.failure?.message.hasPrefix("try") == true)
    #expect(host.omissions.isEmpty)
  }

  @Test("fail ends each stage", arguments: rows.filter { $0.failing != nil })
  func failing(row: Row) throws {
    let host = TestHost(subjects: "a")
    let recorder = try run(try #require(row.failing), row.values(badAt: 1), on: host)
    #expect(recorder.failure == PipelineFailure(code: "stage", message: "no"))
    #expect(host.omissions.isEmpty)
  }

  @Test("with the value, the stage and the reason")
  func reason() throws {
    let host = TestHost(subjects: "a")
    _ = try run("a.filter { true }.map { $0 * 2 }", ["1", "\"x\""], on: host)
    let leftOut = try #require(host.omissions.first)
    #expect(leftOut.value.text == "\"x\"")
    #expect(leftOut.stage == "map { $0 * 2 }")
    #expect(leftOut.reason == "cannot apply \"*\" to String and Int")
  }

  @Test("a value of the latest publisher comes though a later one is left out")
  func latest() throws {
    let host = TestHost(subjects: "a")
    let recorder = try run("a.flatMapLatest { Just(10 / $0).delay(for: 1) }", ["1", "0"], on: host)
    #expect(recorder.values == ["10"])
  }

  @Test("catch inside a closure still sees what cannot be made")
  func recovering() throws {
    let host = TestHost(subjects: "a")
    let text = "a.flatMap { Just(10 / $0).replaceError(with: null) }"
    #expect(try run(text, ["0", "5"], on: host).values == ["null", "2"])
    #expect(host.omissions.isEmpty)
  }

  @Test("and another is asked for in its place")
  func demand() throws {
    let host = TestHost(subjects: "a")
    let recorder = Recorder(host.clock, demand: .max(1))
    try host.pipeline("a.map { 10 / $0 }").publisher(in: host).subscribe(recorder)
    for value in ["0", "0", "5", "1"] { host.send(value, to: "a") }
    #expect(recorder.values == ["2"])
  }

  @Test("a value left out before a share is told to each of its subscribers")
  func share() throws {
    let host = TestHost(subjects: "a")
    let pipeline = try host.pipeline("a.map { 10 / $0 }.share()")
    let recorders = (0..<2).map { _ in Recorder(host.clock) }
    for recorder in recorders { pipeline.publisher(in: host).subscribe(recorder) }
    for value in ["0", "5"] { host.send(value, to: "a") }
    #expect(recorders.map(\.values) == [["2"], ["2"]])
    #expect(host.omissions.count == 2)
  }

  @Test(
    "a stage counts what the stages below it leave out, and has their reason",
    arguments: [
      ("a.flatMap { Just($0).map { 10 / $0 } }", 1),
      ("a.flatMapLatest { Just($0).map { 10 / $0 } }", 1),
      ("a.merge(with: a.map { 10 / $0 })", 1), ("a.window(1) { $0.map { 10 / $0 } }", 1),
      ("Deferred { a.map { 10 / $0 } }", 0),
      ("if 1 < 2 { a.map { 10 / $0 } } else { a }", 0),
      ("switch 1 { case 1: a.map { 10 / $0 } default: a }.map { $0 }", 0),
    ]
  )
  func below(text: String, stage: Int) throws {
    let host = TestHost(subjects: "a")
    let pipeline = try host.pipeline(text)
    let counters = StageCounters(count: pipeline.stages.count)
    host.counters = counters
    let recorder = Recorder(host.clock)
    pipeline.publisher(in: host).subscribe(recorder)
    for value in ["1", "0", "5"] {
      host.send(value, to: "a")
      while host.isTurnDue { host.turn() }
    }
    let figures = pipeline.figures(of: [counters])[stage]
    #expect([figures.dropped, figures.failed] == [1, 1])
    let rest = figures.held + figures.consumed + figures.left
    #expect(figures.taken + figures.made == figures.sent + figures.dropped + rest)
    pipeline.leftOut.add(try #require(host.omissions.first), at: 0)
    #expect(pipeline.leftOut.reason(of: pipeline.stages[stage]) == "division by zero")
    recorder.cancel()
  }

  @Test("its stage counts it as dropped, and as failed")
  func figures() throws {
    let host = TestHost(subjects: "a")
    for (text, stage) in [
      ("a.map { 10 / $0 }", StageFigures(taken: 3, sent: 2, dropped: 1, failed: 1, demand: .max)),
      (
        "a.filter { 10 / $0 > 5 }",
        StageFigures(taken: 3, sent: 1, dropped: 1, failed: 1, consumed: 1, demand: .max)
      ),
    ] {
      let pipeline = try host.pipeline(text)
      let counters = StageCounters(count: pipeline.stages.count)
      host.counters = counters
      let recorder = Recorder(host.clock)
      pipeline.publisher(in: host).subscribe(recorder)
      for value in ["1", "0", "5"] { host.send(value, to: "a") }
      #expect(pipeline.figures(of: [counters])[1] == stage, "\(text)")
      recorder.cancel()
    }
  }
}
