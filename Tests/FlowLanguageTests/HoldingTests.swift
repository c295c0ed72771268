import FlowCore
import Testing

@testable import FlowLanguage

@Suite("What stages hold is charged")
struct HoldingTests {
  /// How each stage of the table that holds something is made to: what it stands in, and the demand.
  private static let ways: [String: (text: String, demand: Subscribers.Demand)] = [
    "first": ("a.first()", .none),
    "last": ("a.last()", .none),
    "merge": ("a.merge(with: b)", .none),
    "zip": ("a.zip(b)", .max(5)),
    "combineLatest": ("a.combineLatest(b)", .max(5)),
    "withLatest": ("b.withLatest(from: a)", .max(5)),
    "pairwise": ("a.pairwise()", .max(5)),
    "sample": ("a.sample(when: b)", .max(5)),
    "join": ("a.join(b, on: { $0 }, within: 5)", .max(5)),
    "group": ("a.group(by: { $0 }) { group, key in group.last() }", .max(5)),
    "window": ("a.window(100) { $0.last() }", .max(5)),
    "collect": ("a.collect(100)", .max(5)),
    "min": ("a.min()", .none),
    "max": ("a.max()", .none),
    "reduce": ("a.reduce(\"\") { \"\\($0)\\($1)\" }", .none),
    "debounce": ("a.debounce(for: 1)", .unlimited),
    "throttle": ("a.throttle(for: 1, latest: true)", .unlimited),
    "delay": ("a.delay(for: 1)", .max(5)), "timeout": ("a.timeout(9)", .max(5)),
    "buffer": ("a.buffer(size: 9, prefetch: .byRequest, whenFull: .dropOldest)", .none),
    "share": ("a.share(replay: 2)", .max(5)),
    "flatMap": ("a.flatMap { value in b.map { [value, $0] } }", .max(5)),
    "concatMap": ("a.concatMap { value in b.map { [value, $0] } }", .max(5)),
  ]
  /// Those whose values are numbers or a Bool, which take no more than their place.
  private static let scalars = [
    "contains", "allSatisfy", "count", "sum", "average", "median", "percentile",
  ]

  static let rows = OperatorTable.all.filter { entry in
    entry.demands.contains { $0.holds != .nothing } && !scalars.contains(entry.name)
  }
  .map(\.name)

  private func text(_ number: Int) -> String {
    "\"\(number)" + String(repeating: "x", count: 1000) + "\""
  }

  @Test("by each row of the table, until it is cancelled", arguments: rows)
  func cancelled(name: String) throws {
    let way = try #require(Self.ways[name], "say above how \(name) comes to hold something")
    let host = TestHost(subjects: "a", "b")
    let pipeline = try host.pipeline(way.text)
    do {
      let recorder = Recorder(host.clock, demand: way.demand)
      pipeline.publisher(in: host).subscribe(recorder)
      for number in 1...3 { host.send(text(number), to: "a") }
      #expect(host.memoryBudget.bytes + pipeline.sharedBytes >= 1000)
      recorder.cancel()
    }
    #expect(host.memoryBudget.bytes + pipeline.sharedBytes == 0)
  }

  @Test(
    "also when its upstream has ended",
    arguments: ["a.first()", "a.last()", "a.min()", "a.collect()", "a.reduce(\"\") { \"\\($1)\" }"]
  )
  func ended(text: String) throws {
    let host = TestHost(subjects: "a")
    do {
      let recorder = Recorder(host.clock, demand: .none)
      try host.pipeline(text).publisher(in: host).subscribe(recorder)
      host.send(self.text(1), to: "a")
      host.subjects["a"]?.send(completion: .finished)
      #expect(host.memoryBudget.bytes >= 1000)
      recorder.subscription?.request(.unlimited)
      #expect(recorder.values.count == 1)
    }
    #expect(host.memoryBudget.bytes == 0)
  }

  @Test("by each row of the table, until all has gone out", arguments: rows)
  func finished(name: String) throws {
    let way = try #require(Self.ways[name])
    let host = TestHost(subjects: "a", "b")
    let pipeline = try host.pipeline(way.text)
    do {
      let recorder = Recorder(host.clock, demand: .unlimited)
      pipeline.publisher(in: host).subscribe(recorder)
      for number in 1...3 { host.send(text(number), to: "a") }
      for name in ["b", "a"] { host.subjects[name]?.send(completion: .finished) }
      host.wait(until: 10)
      #expect(recorder.completions == [.finished])
    }
    // What is replayed to those who come later is kept until nobody can come.
    pipeline.forgetShared()
    #expect(host.memoryBudget.bytes + pipeline.sharedBytes == 0)
  }

  @Test(
    "a stage that would hold too much fails, and gives all back",
    arguments: [
      "a.collect()", "a.zip(b)", "a.share(replay: 100)", "a.collect(100)",
      "a.window(100, every: 1)", "a.window(.seconds(9), every: .seconds(1))",
      "a.join(b, on: { $0 }, within: 9)",
      "a.group(by: { $0 }) { group, key in group.count() }",
      "a.flatMap { value in b.map { [value, $0] } }", "a.reduce([]) { $0 + [$1] }",
      "a.scan([]) { $0 + [$1] }.filter { _ in false }",
    ]
  )
  func limit(text: String) throws {
    let host = TestHost(subjects: "a", "b", memoryBudget: MemoryBudget(bytes: 20_000))
    do {
      let recorder = try host.run(text)
      for number in 1...40 { host.send(self.text(number), to: "a") }
      #expect(recorder.failure?.code == "limit")
    }
    #expect(host.memoryBudget.bytes == 0)
  }

  @Test("each publisher that a flatMap has open costs its stages")
  func publishers() throws {
    let host = TestHost(subjects: "a", "b", memoryBudget: MemoryBudget(bytes: 200_000))
    let stages = String(repeating: ".map { $0 + 1 }", count: 50)
    let recorder = try host.run("a.flatMap { _ in b\(stages) }")
    for number in 1...30 { host.send("\(number)", to: "a") }
    #expect(recorder.failure?.code == "limit")
    #expect(host.memoryBudget.bytes == 0)
  }

  @Test("a value counts as large as it is in memory")
  func footprint() {
    let count = 10_000
    let nested = value("[" + Array(repeating: "[]", count: count).joined(separator: ",") + "]")
    #expect(nested.footprint < 4 * count)
    #expect(nested.decoded.footprint >= MemoryLayout<Value>.stride * count)
    let object = value(#"{"a":{"name of some length":"text of some length"},"b":[1.50,true]}"#)
    #expect(object.decoded.footprint > object.footprint)
    #expect(value("7").decoded.footprint == Value.null.footprint)
    let made = Value.array(JSONArray(Array(repeating: .array(JSONArray([])), count: count)))
    #expect(made.footprint >= MemoryLayout<Value>.stride * count)
  }

  @Test("a large constant is made when it is needed, and nothing else about it changes")
  func constants() throws {
    let host = TestHost()
    let long = #""aaaaaaaaaaaaaaaa".replacing("a", with: "bbbbbbbbbbbbbbbb")"#
    let longer = "\(long).replacing(\"b\", with: \"cccccccccccccccccccccccccccccccc\")"
    #expect(try host.run("Just(\(longer)).map { $0.count }").values == ["8192"])
    #expect(throws: Diagnostic.self) { try host.pipeline("Just(\(longer) + 1)") }
  }
}
