import FlowCore
import FlowTestSupport
import Testing

@testable import FlowLanguage

/// Values that come as payloads in a buffer that has others right afterwards, and as values: nobody
/// may see a difference.
@Suite("Payloads are as good as values")
struct PayloadTests {
  /// What is behind a subject that has a `price`, or is a number.
  private static let pipelines = [
    "s.reduce(0) { $0 + $1.price }", "s.reduce(0) { $0 + $1 }", "s.reduce([]) { $0 + [$1] }",
    "s.reduce(\"\") { \"\\($0) \\($1)\" }", "s.reduce(null) { $1 }", "s.reduce(1) { $1.price }",
    "s.reduce(0) { $0 + ($1.price ?? 1) }",
    "s.reduce(null) { [\"last\": $1, \"before\": $0?.last] }",
    "s.reduce(0) { $1.n > 1 ? fail(\"no\") : $0 + 1 }",
    "s.print(\"p\").reduce(0) { $0 + $1.price }",
    "s.reduce([]) { $0 + [$1] }.print(\"p\")", "s.reduce(0) { $0 + $1.price }.retry(1)",
    "s.reduce(0) { $0 + $1.price }.replaceError(with: -1)", "s.prefix(2).reduce([]) { $0 + [$1] }",
    "s.filter { $0.price > 10 }.map { $0.price * 2 }.reduce(0) { $0 + $1 }",
    "s.filter { $0 != 7 }.print(\"p\").map { [$0] }.reduce([]) { $0 + $1 }",
    "s.buffer(size: 9, prefetch: .byRequest, whenFull: .dropOldest).reduce([]) { $0 + [$1] }",
    "s.merge(with: s).reduce([]) { $0 + [$1] }", "s.share().reduce([]) { $0 + [$1] }",
    "s.contains { $0.price > 15 }", "s.contains { $0.price == 12 }", "s.contains { $0 == null }",
    "s.contains { $0 }", "s.contains(7)", "s.contains(\"text\")", "s.contains(0.1)",
    "s.contains([1, 2])", "s.contains { $0.price > 15 }.print(\"p\")", "s.contains(7).print(\"p\")",
    "s.print(\"p\").contains { $0.n == 2 }", "s.contains { $0.n == 2 || fail(\"no\") }.retry(1)",
    "s.allSatisfy { $0.price > 15 }", "s.allSatisfy { $0.price != 12 }", "s.allSatisfy { $0 != 7 }",
    "s.allSatisfy { $0 }", "s.allSatisfy { $0.n != 2 }.print(\"p\")",
    "s.map { $0.price }.allSatisfy { $0 > 1 }",
    "s.allSatisfy { $0.price < 1 }.merge(with: s.contains { $0.price > 15 })",
    "s.first { $0.price > 15 }", "s.first { $0 == 7 }",
    "s.first { $0.price == 12 }.map { [$0, $0] }",
    "s.map { $0.price }.collect()", "s.map { $0 * 2 }.collect(2)", "s.map(\\.price).count()",
    "s.map { [$0, $0] }.collect()", "s.map { let all = $0; [all.price, all] }.collect()",
    "s.map { v in [\"v\": v] }.last()", "s.map { $0.price }.print(\"p\")", "s.map { -$0 }.first()",
    "s.tryMap { $0.n == 2 ? fail(\"no\") : $0.price }.collect()",
    "s.map { $0.price }.ignoreOutput()",
    "s.map { $0.price }.collect(.byTime(DispatchQueue.main, 1))",
    "s.map { $0.price }.delay(for: 1)",
    "s.map { $0.price }.debounce(for: 1)", "s.map { $0.n }.throttle(for: 1, latest: true)",
    "s.map { $0.price }.replaceNil(with: 0)", "s.map { $0.price }.replaceEmpty(with: 0)",
    "s.map { $0.price }.flatMap { v in Just([v]) }", "s.map { $0 }.collect()",
    "s.map { $0.price }.zip(s.map { $0.n })", "s.map { $0.price }.combineLatest(s.map { $0.n })",
    "s.map { $0.price }.withLatest(from: s.map { [$0] })", "s.map { $0.n }.share().collect()",
    "s.map { $0.price }.prefix(untilOutputFrom: s.compactMap { $0.n })",
    "s.map { [$0] }.prefix(2).collect()", "s.map { [$0] }.merge(with: s.map { $0.n }).collect()",
    "s.compactMap { $0.price }.last()", "s.compactMap { $0.n }.min()",
    "s.compactMap { $0 }.collect()",
    "s.scan(0) { $0 + $1.price }.collect()", "s.scan([]) { $0 + [$1] }.last()",
    "s.scan(null) { $1.price ?? $0 }.max()", "s.scan(0) { $0 + ($1.n ?? 0) }.print(\"p\")",
    "s.group(by: { $0.n }) { $0.map { $0.price }.reduce([]) { $0 + [$1] } }",
    "s.map { $0.n }.group(by: { $0 }) { $0.count() }",
    "s.window(2) { $0.reduce([]) { $0 + [$1] } }",
    "s.window(.seconds(1)) { w in w.map { $0.n }.merge(with: w).collect() }",
    "s.group(by: { $0.n }) { g, key in g.prefix(2).map { [key, $0.price, $0] } }",
    "s.group(by: \\.price, maxGroups: 3) { g, key in g.contains { $0.n == 2 }.map { [key, $0] } }",
    "s.group(by: { $0 }) { $0.collect() }", "s.window(3) { $0.allSatisfy { $0.n != 2 } }",
    "s.group(by: { $0.n }) { $0.group(by: { $0.price }) { $0.count() } }",
    "s.group(by: { $0.n }) { $0.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest) }",
    "s.group(by: { $0.n }) { g, key in Just(key) }",
    "s.window(2) { $0.flatMap { v in s.map { [v, $0] } } }",
    "s.removeDuplicates(by: \\.price).count()", "s.max(by: \\.price)", "s.last { $0.price > 10 }",
    "s.last()", "s.last().map { [$0] }", "s.last { $0.n }", "s.last { $0 == 7 }.print(\"p\")",
    "s.print(\"p\").last()", "s.last { $0.n == 2 || fail(\"no\") }.retry(1)", "s.prefix(2).last()",
    "s.filter { $0.price > 10 }.last { $0.n != 2 }", "s.last { $0.n > 1 }.replaceEmpty(with: 0)",
    "s.merge(with: s).last { $0.price < 20 }", "s.share().last()", "s.last { $0.n < 2 }.share()",
    "s.min()", "s.max()", "s.min(by: \\.price)", "s.min(by: { $0.price < $1.price })",
    "s.max(by: { $0.n < $1.n })", "s.max(by: { $0 < $1 })", "s.min(by: { a, b in a.n < b })",
    "s.min(by: \\.price.a)", "s.max(by: \\.n).retry(1)", "s.min(by: \\.n).print(\"p\")",
    "s.filter { $0.n < 9 }.max(by: \\.n)", "s.map { $0.n }.max()", "s.map(\\.price).min()",
    "s.max(by: { $0.n > $1.price && $1.price != 12 })", "s.prefix(3).min(by: \\.price)",
    "s.min(by: { let n = $1.n; $0.n < n })", "s.dropFirst().max(by: \\.price)",
    "s.min(by: \\.n).merge(with: s.max(by: \\.n)).collect()", "s.share().min(by: \\.price)",
    "s.group(by: { $0.n }) { $0.last { $0.price > 9 } }", "s.group(by: \\.n) { $0.min() }",
    "s.group(by: \\.n) { $0.max(by: \\.price) }",
    "s.group(by: \\.n) { $0.filter { $0.price > 9 } }", "s.group(by: { $0 }) { $0 }",
    "s.group(by: \\.n) { g in g.map(\\.price).zip(g) }", "s.group(by: \\.n) { $0.prefix(1) }",
    "s.group(by: \\.n) { g in g.map(\\.price).merge(with: g.map { [$0] }, g) }",
    "s.group(by: \\.n) { $0.map(\\.price).share() }", "s.group(by: { $0.n }, maxGroups: 1) { $0 }",
    "s.group(by: \\.n) { $0.scan(0) { $0 + $1.price }.delay(for: 1) }",
    "s.group(by: \\.n) { $0.flatMap(maxPublishers: .max(1)) { Just($0.price).delay(for: 1) } }",
    "s.window(2) { w, start in w.map { $0.price } }", "s.window(1) { $0.last() }",
    "s.window(3) { $0.filter { $0.n > 1 }.max(by: \\.price) }", "s.window(2) { $0 }",
    "s.filter { $0.n != 2 }.group(by: { $0.n }) { $0.map { $0.price } }",
    "s.filter { $0.price > 10 }.collect()", "s.drop(while: { $0.price < 15 }).collect()",
    "s.map { $0.price < 15 ? $0.price : fail(\"no\") }.catch { Just($0.message) }.collect()",
    "s.flatMap { v in s.map { [v, $0.price] }.first() }",
    "s.map { $0.price }.flatMapLatest { v in s.map { [v, $0] } }",
  ]

  /// What may be in a payload: JSON or not, with such a member or not.
  private static let payloads: [[UInt8]] =
    ([
      "{\"price\":20.5,\"n\":1}", "{\"n\":2, \"price\" : 12}", "{}", "", " ", "null", "true", "7",
      "-0",
      " 7 ", "07", "1e400", "-1e-400", "0.1", "9223372036854775807", "-9223372036854775808",
      "9223372036854775808", "{\"price\":9223372036854775807}",
      "{\"price\":1.7976931348623157e308}",
      "{\"price\":\"12\"}", "{\"price\":null}", "{\"price\":{\"a\":1}}", "{\"price\":[1, 2]}",
      "{\"price\":", "{\"price\":12,}", "{\"price\":12}x", "{\"price\":12 \"n\":2}", "{price:12}",
      "{\"price\":1e}", "{\"price\":\"\u{1}\"}", "{\"price\":1,\"price\":12}",
      "{\"pr\\u0069ce\":12}",
      "[1,2]", "[1,2", "\"text\"", "text", "\"te\\ud800xt\"", "tr\u{e9}s", "\u{0}",
      "{\"price\":30.0,\"text\":\"" + String(repeating: "x", count: 70_000) + "\"}",
      "{" + (0..<300).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + ",\"price\":12}",
      String(repeating: "[", count: 2_000),
    ] as [String]).map { Array($0.utf8) }
    + [[0xFF, 0xFE], Array("{\"price\":12,\"n\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)]

  /// How the values of a turn come.
  enum Way: CaseIterable { case values, payloads, together }

  /// All that can be seen of a running pipeline.
  private struct Seen: Equatable {
    var signals: [String] = []
    var lines: [String] = []
    var drops: [DropReason: Int] = [:]
    var figures: [[StageFigures]] = []
    var bytes: [Int] = []
    var asked = 0
    var missed = 0
  }

  private func play(
    _ pipeline: Pipeline,
    _ turns: [[[UInt8]]],
    _ way: Way,
    asking demand: Subscribers.Demand
  ) -> Seen {
    let host = TestHost()
    let source = PayloadSubject(host.work)
    host.payloads = source
    let counters = StageCounters(count: pipeline.stages.count)
    host.counters = counters
    let recorder = PayloadRecorder(demand)
    pipeline.publisher(in: host).subscribe(recorder)
    var seen = Seen()
    func settle() {
      while host.isTurnDue { host.turn() }
      seen.figures.append(pipeline.figures(of: [counters]))
      seen.bytes.append(host.memoryBudget.bytes)
    }
    for turn in turns {
      source.send(turn, way)
      settle()
      if demand != .unlimited { recorder.subscription?.request(.max(1)) }
      host.wait(until: Double(host.clock.now.nanoseconds) / 1e9 + 0.6)
      settle()
    }
    source.finish()
    host.wait(until: Double(host.clock.now.nanoseconds) / 1e9 + 5)
    settle()
    recorder.subscription?.request(.max(3))
    settle()
    (seen.signals, seen.lines, seen.drops) = (recorder.signals, host.lines, host.drops)
    (seen.asked, seen.missed) = (source.asked, source.missed)
    return seen
  }

  private func compare(_ text: String, _ turns: [[[UInt8]]]) throws {
    let host = TestHost()
    host.payloads = PayloadSubject(host.work)
    for demand in [Subscribers.Demand.unlimited, .max(1)] {
      let expected = play(try host.pipeline(text), turns, .values, asking: demand)
      for way in [Way.payloads, .together] {
        let seen = play(try host.pipeline(text), turns, way, asking: demand)
        let values = turns.map { $0.map { String(decoding: $0.prefix(99), as: UTF8.self) } }
        #expect(seen == expected, "\(text), \(way), asking for \(demand): \(values)")
      }
    }
  }

  @Test("whatever is in them", arguments: pipelines)
  func each(_ text: String) throws {
    let good = Array("{\"price\":11,\"n\":3}".utf8)
    // Other ones for each pipeline, half of them where most are tried.
    let step = 2 * RandomCases.step
    let first = text.utf8.count % step
    for index in stride(from: first, to: Self.payloads.count, by: step) {
      let payload = Self.payloads[index]
      try compare(text, [[payload]])
      try compare(text, [[good, payload, good], [payload, payload]])
    }
  }

  @Test("in any order", arguments: pipelines)
  func mixed(_ text: String) throws {
    var random = SeededGenerator(state: UInt64(text.utf8.count))
    func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    for _ in 0..<RandomCases.count(20) {
      // Mostly such as do not end it.
      let turns = (0..<4).map { _ in
        (0..<number(below: 5)).map { _ in
          switch number(below: 9) {
          case 0: Self.payloads[number(below: Self.payloads.count)]
          case 1: Array("\(number(below: 9))".utf8)
          default: Array("{\"price\":\(number(below: 30)),\"n\":\(number(below: 4))}".utf8)
          }
        }
      }
      try compare(text, turns)
    }
  }

  @Test(
    "are taken by what publishes nothing but what it makes",
    arguments: [
      "s.reduce(0) { $0 + $1.price }", "s.contains { $0.price > 15 }",
      "s.allSatisfy { $0.price > 1 }", "s.map { $0.price }.collect()", "s.scan(0) { $1.n }.last()",
      "s.compactMap { $0.n }.count()", "s.filter { $0.price > 1 }.map { $0.n }.min()",
      "s.prefix(9).map { $0.n }.zip(s.map { $0.price })", "s.map { $0.n }.print(\"p\")",
      "s.last()", "s.last { $0.price > 1 }", "s.min()", "s.max(by: \\.price)",
      "s.filter { $0.n > 1 }.last()", "s.min(by: { $0.n < $1.n }).map { [$0] }",
      "s.group(by: { $0.n }) { $0.count() }", "s.filter { $0.n > 1 }.group(by: \\.n) { $0 }",
      "s.window(2) { $0.map { $0.n } }", "s.window(.seconds(1)) { $0.last() }",
    ]
  )
  func taken(_ text: String) throws {
    let host = TestHost()
    let source = PayloadSubject(host.work)
    host.payloads = source
    try host.pipeline(text).publisher(in: host).subscribe(PayloadRecorder(.unlimited))
    #expect(source.takers.allSatisfy { $0 } && !source.takers.isEmpty)
  }

  @Test(
    "are not given to what keeps them, or stands behind what does not take them",
    arguments: [
      "s.collect()", "s.print(\"p\").map { $0.price }.last()", "s.filter { $0.n > 1 }.collect()",
      "s.debounce(for: 1).reduce(0) { $0 + $1 }", "s.contains(7)",
    ]
  )
  func refused(_ text: String) throws {
    let host = TestHost()
    let source = PayloadSubject(host.work)
    host.payloads = source
    try host.pipeline(text).publisher(in: host).subscribe(PayloadRecorder(.unlimited))
    #expect(source.takers == [false])
  }
}
