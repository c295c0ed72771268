extension OperatorTable {
  private static func result(_ full: String) -> StageDemand {
    StageDemand(
      asks: "unlimited",
      holds: .values("1"),
      full: full,
      ends: "after its result",
      makesValues: true
    )
  }

  static let reducing = [
    stage(
      "reduce(initial) { result, value in … }",
      "Publishes the last result of the closure when upstream finishes.",
      demand: result("goes on folding"),
      "(1...10).publisher.reduce(0) { $0 + $1 }",
      MarbleExample("taps.reduce(0) { $0 + $1 }", ["taps": "1-2-3-|"], gives: "------[6|]")
    ),
    stage(
      "collect(), collect(count), collect(.byTime(DispatchQueue.main, time)) or "
        + "collect(.byTimeOrCount(DispatchQueue.main, time, count))",
      "Publishes arrays of values: all, so many, or those of a time.",
      demands: [
        StageDemand(
          with: ".byTimeOrCount",
          asks: "{count} for each array asked for",
          holds: .values("65536"),
          full: "fails",
          ends: "after what it holds",
          makesValues: true
        ),
        StageDemand(
          with: ".byTime",
          asks: "1 for each array asked for, and 1 for each value",
          holds: .values("65536"),
          full: "fails",
          ends: "after what it holds",
          makesValues: true
        ),
        StageDemand(
          with: "count",
          asks: "{count} for each array asked for",
          holds: .values("{count}"),
          full: "publishes it",
          ends: "after what it holds",
          makesValues: true
        ),
        StageDemand(
          asks: "unlimited",
          holds: .values("65536"),
          full: "fails",
          ends: "after its array",
          makesValues: true
        ),
      ],
      "orders.collect(.byTime(DispatchQueue.main, .seconds(1)))",
      MarbleExample("taps.collect(2)", ["taps": "1-2-3-|"], gives: "--'[1,2]'---['[3]'|]")
    ),
    stage(
      "contains(value) or contains(where: { value in … })",
      "Publishes whether there is such a value, as soon as that is known.",
      demand: result("has cancelled its upstream"),
      "orders.contains { $0.urgent }",
      MarbleExample("taps.contains(2)", ["taps": "1-2-3-|"], gives: "--['true'|]")
    ),
    stage(
      "allSatisfy { value in … }",
      "Publishes whether the closure is true for all values, as soon as that is known.",
      demand: result("has cancelled its upstream"),
      "orders.allSatisfy { $0.paid }",
      MarbleExample(
        "taps.allSatisfy { $0 < 5 }",
        ["taps": "1-2-3-|"],
        gives: "------['true'|]"
      )
    ),
    stage(
      "count()",
      "Publishes how many values there were, when upstream finishes.",
      demand: result("goes on counting"),
      "orders.count()",
      MarbleExample("taps.count()", ["taps": "a-b-c-|"], gives: "------[3|]")
    ),
    stage(
      "min() or min(by: { a, b in … })",
      "Publishes the least value when upstream finishes, by a closure of two or a key path.",
      demand: result("goes on comparing"),
      "orders.min(by: \\.price)",
      MarbleExample("taps.min()", ["taps": "2-1-3-|"], gives: "------[1|]")
    ),
    stage(
      "max() or max(by: { a, b in … })",
      "Publishes the greatest value when upstream finishes, by a closure of two or a key path.",
      demand: result("goes on comparing"),
      "orders.max(by: { $0.price < $1.price })",
      MarbleExample("taps.max()", ["taps": "2-1-3-|"], gives: "------[3|]")
    ),
    stage(
      "replaceEmpty(with: value)",
      "Publishes the value if upstream finishes without one.",
      demand: StageDemand(
        asks: "the same",
        ends: "with its upstream, or after the value instead of none"
      ),
      "orders.replaceEmpty(with: 0)",
      MarbleExample("taps.replaceEmpty(with: 0)", ["taps": "---|"], gives: "---[0|]")
    ),
  ]
}
