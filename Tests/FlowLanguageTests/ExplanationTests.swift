import FlowLanguage
import Testing

@Suite("What a pipeline does with demand")
struct ExplanationTests {
  @Test(
    "a rate is given in the unit in which it can be read",
    arguments: [
      ("0.04", "at most 25/s (1 / 40 ms)"), ("1", "at most 1/s (1 / 1 s)"),
      ("2", "at most 0.5/s (1 / 2 s)"), ("10", "at most 0.1/s (1 / 10 s)"),
      ("30", "at most 2/m (1 / 30 s)"), ("1000", "at most 3.6/h (1 / 1000 s)"),
      ("86400", "at most 0.04/h (1 / 86400 s)"),
    ]
  )
  func rates(delay: String, rate: String) throws {
    let host = TestHost(subjects: "taps")
    let text = "taps.flatMap(maxPublishers: .max(1)) { Just($0).delay(for: \(delay)) }"
    #expect(try host.pipeline(text).explanation.rate == rate)
  }

  private let host = TestHost(subjects: "orders", "taps", "returns")

  private func explain(_ text: String) throws -> Explanation {
    try host.pipeline(text).explanation
  }

  /// The rows as `number text: asks, holds`.
  private func rows(_ text: String) throws -> [String] {
    try explain(text).rows.map { row in
      let demand = row.stage.demand
      return "\(row.number) \(row.stage.text): \(demand.asks), \(demand.holds.text)"
    }
  }

  @Test("the example of the design")
  func example() throws {
    let text =
      "orders.buffer(size: 16, prefetch: .keepFull, whenFull: .dropNewest)"
      + ".flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 0.04) }"
    #expect(
      try rows(text) == [
        "0 orders: -, nothing",
        "1 buffer(size: 16, prefetch: .keepFull, whenFull: .dropNewest): "
          + "16, then 1 for each value taken, 16",
        "2 flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 0.04) }: "
          + "2, then 1 for each publisher that finishes, 2 × 1",
        "2.0 Just($0): -, nothing", "2.1 delay(for: 0.04): the same, what was requested",
      ]
    )
    let explanation = try explain(text)
    #expect(explanation.holds == "at most 16 + 2 values")
    #expect(explanation.rate == "at most 50/s (2 / 40 ms)")
    #expect(explanation.rows[4].stage.demand.ends == "40 ms after its upstream")
    #expect(
      explanation.rows[1].stage.demand.full
        == "stops requesting; .dropNewest for values that arrive anyway"
    )
  }

  @Test(
    "the arguments choose and fill the row",
    arguments: [
      ("orders.first()", "unlimited, until the first"),
      ("orders.first { $0.urgent }", "the same, and 1 more for each value filtered out"),
      ("orders.first(where: \\.urgent)", "the same, and 1 more for each value filtered out"),
      ("orders.dropFirst()", "1 at once, then the same"),
      ("orders.dropFirst(20)", "20 at once, then the same"),
      ("orders.flatMap { Just($0) }", "unlimited, then 1 for each publisher that finishes"),
      (
        "orders.flatMap(maxPublishers: .unlimited) { Just($0) }",
        "unlimited, then 1 for each publisher that finishes"
      ),
      ("orders.buffer(size: 3, prefetch: .byRequest, whenFull: .dropOldest)", "unlimited"),
      ("orders.reduce(0) { $0 + $1 }", "unlimited"), ("orders.map { $0 }", "the same"),
    ]
  )
  func asks(_ text: String, _ asks: String) throws {
    #expect(try explain(text).rows[1].stage.demand.asks == asks)
  }

  @Test("a quote of an argument does not end the field it stands in")
  func quotes() throws {
    let text = "taps.buffer(size: 3, prefetch: .byRequest, whenFull: .customError(\"full\"))"
    #expect(try explain(text).rows[1].stage.demand.full == ".customError('full')")
  }

  @Test("publishers below a stage are rows below it, whichever of them will run")
  func branches() throws {
    #expect(
      try rows("taps.merge(with: orders.map { $0 }, returns)").map { $0.prefix { $0 != ":" } } == [
        "0 taps", "1 merge(with", "1.0 orders", "1.1 map { $0 }", "1.2 returns",
      ]
    )
    let choice = try rows(
      "taps.flatMap { if $0 > 1 { Just(1) } else { Just($0).flatMap { Just($0) } } }"
    )
    #expect(
      choice.map { $0.prefix { $0 != " " } } == [
        "0", "1", "1.0", "1.0.0", "1.0.1", "1.0.2", "1.0.2.0",
      ]
    )
    #expect(try explain("taps.merge(with: orders, returns)").holds == "at most 3 values")
  }

  @Test("a named pipeline is told stage by stage")
  func inlined() throws {
    host.pipelines["even"] = try host.pipeline("taps.filter { $0 % 2 == 0 }")
    let rows = try explain("even.map { $0 * 10 }").rows
    #expect(rows.map(\.stage.text) == ["taps", "filter { $0 % 2 == 0 }", "map { $0 * 10 }"])
    #expect(rows.map(\.stage.pipeline) == ["even", "even", nil])
    host.pipelines["tens"] = try host.pipeline("even.map { $0 * 10 }")
    #expect(try explain("tens").rows.map(\.stage.pipeline) == ["even", "even", "tens"])
  }

  @Test(
    "what may be inside in all",
    arguments: [
      ("taps.map { $0 }", "nothing"), ("taps.first()", "at most 1 value"),
      ("taps.delay(for: 1)", "what was requested at stage 1"),
      ("taps.flatMap { Just($0) }", "1 for each publisher at stage 1"),
      (
        "taps.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest).delay(for: 1)",
        "at most 4 values, and what was requested at stage 2"
      ),
      (
        "taps.flatMap(maxPublishers: .max(2)) { [1, $0].publisher"
          + ".buffer(size: 5, prefetch: .keepFull, whenFull: .dropNewest) }",
        "at most 2 + 10 values"
      ),
      (
        "taps.flatMap(maxPublishers: .max(2)) { [1, $0].publisher.delay(for: 1) }",
        "at most 2 values, and what was requested at stage 1.1 in each publisher"
      ),
      (
        "taps.buffer(size: 9223372036854775807, prefetch: .keepFull, whenFull: .dropNewest)",
        "at most 9223372036854775807 values"
      ),
    ]
  )
  func total(_ text: String, _ holds: String) throws {
    #expect(try explain(text).holds == holds)
  }

  @Test(
    "a steady rate is known where times are constant",
    arguments: [
      ("taps.flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 3) }", "at most 1/s (3 / 3 s)"),
      (
        "taps.flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 3) }",
        "at most 0.33/s (1 / 3 s)"
      ),
      (
        "Timer.publish(every: .milliseconds(250)).autoconnect()"
          + ".flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 0.1) }",
        "at most 4/s (1 / 250 ms)"
      ),
      (
        "taps.flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 1).delay(for: .milliseconds(500)) }",
        "at most 1.33/s (2 / 1.5 s)"
      ),
      (
        "taps.flatMap(maxPublishers: .max(9223372036854775807)) { Just($0).delay(for: 0.04) }",
        "at most 2.305843009213694e+20/s (9223372036854775807 / 40 ms)"
      ), ("taps.flatMap(maxPublishers: .max(2)) { Just($0).delay(for: $0) }", nil),
      ("taps.flatMap { Just($0).delay(for: 1) }", nil), ("taps.delay(for: 1)", nil),
    ] as [(String, String?)]
  )
  func rate(_ text: String, _ rate: String?) throws {
    #expect(try explain(text).rate == rate)
  }

  @Test(
    "each example of the table has a row of its own without a gap",
    arguments: OperatorTable.all.filter { $0.role != .ending }
  )
  func everyEntry(_ entry: OperatorEntry) throws {
    let stage = try #require(try explain(entry.example).rows.last { !$0.number.contains(".") })
      .stage
    for text in [stage.demand.asks, stage.demand.full, stage.demand.ends, stage.demand.holds.text] {
      #expect(!text.isEmpty && !text.contains("{") && !text.contains("\""), "\(text)")
    }
  }
}
