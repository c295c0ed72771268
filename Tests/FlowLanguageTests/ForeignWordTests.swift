import FlowTestSupport
import Testing

@testable import FlowLanguage

@Suite("Words of other libraries")
struct ForeignWordTests {
  static let rows = ForeignWord.all

  private func refusal(_ text: String) -> Diagnostic? {
    #expect(throws: Diagnostic.self) { try TestHost(subjects: "taps", "orders").pipeline(text) }
  }

  @Test(
    "what is suggested can be pasted where the error points",
    arguments: rows.filter(\.isPasteable).map(\.example)
  )
  func pasting(example: String) throws {
    let diagnostic = try #require(refusal(example))
    let suggestion = try #require(diagnostic.suggestion, "\(diagnostic.text)")
    var text = Array(example)
    text.replaceSubrange(
      diagnostic.offset..<diagnostic.offset + diagnostic.length,
      with: suggestion
    )
    let host = TestHost(subjects: "taps", "orders")
    #expect(throws: Never.self, "\(String(text))") { try host.pipeline(String(text)) }
  }

  @Test(
    "what cannot be pasted is said",
    arguments: rows.filter { !$0.isPasteable }.map { ($0.example, $0.hint) }
  )
  func advice(example: String, hint: String) throws {
    let text = try #require(refusal(example)).text
    // What a closure is called depends on what is written.
    #expect(text.contains(hint.prefix { $0 != "{" }), "\(text)")
  }

  @Test("a word stands in the table once for each place, and is none of the language")
  func once() {
    let words = Self.rows.map { "\($0.place) \($0.word)" }
    #expect(
      Set(words).count == words.count,
      "\(words.filter { word in words.count { $0 == word } > 1 })"
    )
    for row in Self.rows where row.place == .stage {
      #expect(OperatorTable.entry(row.word)?.role != .stage)
    }
    for row in Self.rows where row.place == .function {
      #expect(FunctionTable.entries(row.word).isEmpty)
    }
  }

  @Test("docs/words.md has a row for each, word for word; Scripts/pages writes them")
  func page() throws {
    var page = try GeneratedPage("docs/words.md")
    let tables = ForeignWord.Place.allCases.map { place in
      Self.rows.filter { $0.place == place }.map(Self.cells)
    }
    try page.setRows(of: tables, below: "| Elsewhere | Here |")
    #expect(try page.isUpToDate(), "run Scripts/pages")
  }

  private static func cells(_ row: ForeignWord) -> [String] {
    let hint = row.isPasteable && !row.hint.contains(" instead of ") ? "`\(row.hint)`" : row.hint
    return ["`\(row.word)`", hint]
  }

  @Test(
    "what is written in the parentheses is kept",
    arguments: [
      ("taps.takeUntil(orders.first())", "prefix(untilOutputFrom: orders.first())"),
      ("taps.debounceTime(250)", "debounce(for: .milliseconds(250))"),
      ("taps.debounceTime(.seconds(2))", "debounce(for: .seconds(2))"),
      ("taps.distinctUntilChanged { $0.a.b }", "removeDuplicates(by: \\.a.b)"),
      ("taps.withLatestFrom(orders) { $0 + $1 }", "withLatest(from: orders) { $0 + $1 }"),
      ("taps.pluck(\"price\")", "map(\\.price)"),
      ("taps.map { Just($0).delay(for: 1) }.concatAll()", "concatMap { Just($0).delay(for: 1) }"),
      ("taps.tap(x => console.log(x))", "print(\"label\")"),
      ("taps.finalize { }", "print(\"label\")"),
      ("taps.flatMap(.max(3)) { Just($0) }", "maxPublishers: .max(3)"),
      ("taps.output(at: 1...2)", "in: 1...2"),
      ("taps.merge(orders)", "with: orders"),
      ("taps.delay(3)", "for: .seconds(3)"),
      ("taps.debounce(300)", "for: .milliseconds(300)"),
      ("taps.debounce(dueTime: 300)", "for: .milliseconds(300)"),
      ("taps.throttle(1)", "for: .seconds(1)"),
      ("taps.throttle(1, true)", "for: .seconds(1), latest: true"),
      ("taps.pace(5, 1000)", "per: .milliseconds(1000)"),
      ("taps.buffer(20)", "size: 20, prefetch: .byRequest, whenFull: .dropOldest"),
      ("taps.buffer(2, .byRequest)", "size: 2, prefetch: .byRequest, whenFull: .dropOldest"),
      ("taps.sample(.seconds(1))", "when: Timer.publish(every: .seconds(1)).autoconnect()"),
      ("taps.groupBy(\\.k)", "group(by: \\.k) { $0.scan(0) { n, _ in n + 1 } }"),
      ("taps.groupBy(\\.k) { $0.sum() }", "group(by: \\.k) { $0.sum() }"),
      ("taps.groupBy(\"k\")", "group(by: \\.k) { $0.scan(0) { n, _ in n + 1 } }"),
      ("taps.groupBy($0.k)", "group(by: { $0.k }) { $0.scan(0) { n, _ in n + 1 } }"),
      ("taps.topK(3)", "scan([]) { ($0 + [$1]).sorted(by: >).prefix(3) }"),
      ("taps.select(.price > 1)", "filter { $0.price > 1 }"),
      ("taps.select { $0.price }", "map { $0.price }"),
      ("taps.limit(rate: 5)", "pace(5, per: .seconds(1))"),
      ("taps.limit(5)", "prefix(5)"),
      ("taps.every(100)", "window(1, every: 100).map { $0[0] }"),
      ("taps.map { .price * 2 }", "$0.price"),
      ("taps.distinct(\\.id)", "group(by: \\.id) { $0.first() }"),
      ("taps.distinctUntilChanged(\\.id)", "removeDuplicates(by: \\.id)"),
      ("taps.pluck(\"a\", \"b\")", "map(\\.a.b)"),
      ("taps.bufferCount(3, 1)", "window(3, every: 1)"),
      (
        "taps.windowTime(3000, 1000)",
        "window(.milliseconds(3000), every: .milliseconds(1000)) { $0.collect() }"
      ),
      ("taps.takeLast(2)", "collect().flatMap { $0.suffix(2).publisher }"),
      ("taps.skipLast(2)", "window(3, every: 1).map { $0[0] }"),
      ("taps.combineLatest([orders, taps])", "orders, taps"),
      ("Publishers.Merge(taps, orders, taps)", "Publishers.Merge3"),
      ("Publishers.Zip3(taps, orders)", "Publishers.Zip"),
      ("Publishers.Merge([taps, orders])", "taps, orders"),
      ("Publishers.Merge([taps, orders, taps])", "Publishers.MergeMany"),
      ("of(1)", "Just(1)"),
      ("Observable.of(1, 2)", "[1, 2].publisher"),
      ("from(orders)", "orders"),
      ("range(3, 2)", "(3...4).publisher"),
      ("interval(250)", "Timer.publish(every: .milliseconds(250)).autoconnect()"),
      ("merge([taps, orders])", "taps.merge(with: orders)"),
      ("taps.filter { $0 === 1 }", "=="),
      ("taps.filter { $0 !== 1 }", "!="),
      ("taps.map { Math.abs($0) }", "abs"),
      ("taps.map { Math.trunc($0) }", "Int"),
      ("taps.map { [0, ...$0, 1] }", "([0] + $0 + [1])"),
      ("taps.map { [...$0] }", "$0"),
      ("taps.map { Object.keys($0) }", "$0.keys"),
      ("taps.map { ($0 + 1).magnitude }", "abs(($0 + 1))"),
      ("taps.map { !$0.isMultiple(of: 2) }", "($0 % 2 == 0)"),
      ("taps.collect().map(\\.length)", "{ $0.count }"),
      ("taps.map { $0 == undefined }", "null"),
      ("taps.map { 6 / $0 ** 2 }", "pow($0, 2)"),
      ("taps.map { ($0 + 1) ** 3 }", "pow(($0 + 1), 3)"),
      ("Publishers.CombineLatest([taps, orders])", "taps, orders"),
      ("taps.flatMap(maxConcurrent: 3) { Just($0) }", "maxPublishers"),
      ("taps.group(by: id) { $0.count() }", "\\.id"),
      ("taps.map { it * 2 }", "$0"),
    ]
  )
  func keeping(text: String, suggestion: String) throws {
    let diagnostic = try #require(refusal(text))
    #expect(diagnostic.suggestion == suggestion, "\(diagnostic.text)")
    var pasted = Array(text)
    let place = diagnostic.offset..<diagnostic.offset + diagnostic.length
    pasted.replaceSubrange(place, with: suggestion)
    let host = TestHost(subjects: "taps", "orders")
    #expect(throws: Never.self, "\(String(pasted))") { try host.pipeline(String(pasted)) }
  }

  @Test(
    "an arrow is told with the names before it",
    arguments: [
      ("taps.map { x -> x }", "write a closure as { x in … }"),
      ("taps.map(x => x + 1)", "write a closure as { x in … }"),
      ("taps.map { (x) => x }", "write a closure as { x in … }"),
      ("taps.scan(0, (a, b) => a + b)", "write a closure as { a, b in … }"),
    ]
  )
  func arrows(text: String, message: String) throws {
    #expect(try #require(refusal(text)).text == message)
  }

  @Test(
    "what fails for every value is told when it is defined",
    arguments: [
      "taps.map { $0.items.map { $0 * 2 }.total }", "taps.map { \"\\($0)\".sum }",
      "taps.map { $0.a.uppercased().price }", "taps.collect(3).map { $0.total }",
      "taps.collect(2).max()", "taps.map { $0 > 1 }.min()", "taps.map { sqrt(\"a\") }",
    ]
  )
  func everyValue(text: String) {
    _ = refusal(text)
  }

  @Test("of several words each is told")
  func each() throws {
    let text = "taps.debounceTime(300).distinctUntilChanged().tap { print($0) }.sink { $0 }"
    #expect(
      try #require(refusal(text)).all.map { $0.suggestion ?? $0.message } == [
        "debounce(for: .milliseconds(300))", "removeDuplicates()", "print(\"label\")",
        "sink is not available in a pipeline: SUB is the sink, or RUN into a subject",
      ]
    )
  }

  @Test("an effect before the result is told")
  func effects() throws {
    for text in ["taps.map { print($0); $0 }", "taps.map { console.log($0); $0 }"] {
      #expect(try #require(refusal(text)).message.contains("closures have no side effects"))
    }
  }

  @Test("a subject may be called as a foreign word")
  func names() throws {
    let host = TestHost(subjects: "of", "merge", "interval")
    for text in ["of.map { $0 }", "merge.zip(interval)", "of"] {
      #expect(throws: Never.self) { try host.pipeline(text) }
    }
  }
}
