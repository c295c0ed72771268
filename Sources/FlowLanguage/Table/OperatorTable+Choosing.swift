extension OperatorTable {
  static let choosing = [
    stage(
      "filter { value in … }",
      "Publishes the values for which the closure is true.",
      demand: "the same, and 1 more for each value left out",
      "orders.filter { $0.price > 100 }",
      MarbleExample(
        "taps.filter { $0 % 2 == 0 }",
        ["taps": "123456|"],
        asking: "1---1",
        gives: "-2---6|"
      )
    ),
    stage(
      "removeDuplicates() or removeDuplicates(by: { a, b in … })",
      "Leaves out a value that is like the one before, by a closure of two or a key path.",
      demand: "the same, and 1 more for each value left out",
      "orders.removeDuplicates(by: \\.customer)",
      MarbleExample("taps.removeDuplicates()", ["taps": "112331|"], gives: "1-23-1|")
    ),
    stage(
      "first() or first(where: { value in … })",
      "Publishes the first value, or the first for which the closure is true, and finishes.",
      demands: [
        StageDemand(
          asks: "unlimited, until the first",
          holds: .values("1"),
          full: "has cancelled its upstream",
          ends: "after its value"
        ),
        StageDemand(
          with: "where",
          asks: "the same, and 1 more for each value left out",
          ends: "after its value"
        ),
      ],
      "orders.first { $0.urgent }",
      MarbleExample("taps.first { $0 > 1 }", ["taps": "1-2-3-|"], gives: "--[2|]")
    ),
    stage(
      "last() or last(where: { value in … })",
      "Publishes the last value, or the last for which the closure is true, at the end.",
      demand: StageDemand(
        asks: "unlimited",
        holds: .values("1"),
        full: "keeps the newest",
        ends: "after its value",
        makesValues: true
      ),
      "orders.last()",
      MarbleExample("taps.last { $0 < 3 }", ["taps": "1-2-3-|"], gives: "------[2|]")
    ),
    stage(
      "prefix(count), prefix(while: { value in … }) or prefix(untilOutputFrom: publisher)",
      "Publishes the first values and finishes.",
      demands: [
        StageDemand(
          with: "while",
          asks: "the same",
          ends: "at the first value that fails the test"
        ),
        StageDemand(
          with: "untilOutputFrom",
          asks: "the same; 1 of the other publisher",
          ends: "with the other publisher's first value"
        ),
        StageDemand(asks: "the same", ends: "after {count} values"),
      ],
      "orders.prefix(3)",
      MarbleExample(
        "taps.prefix(untilOutputFrom: stop)",
        ["taps": "1-2-3-4-", "stop": "-----x--"],
        gives: "1-2-3|"
      )
    ),
    stage(
      "dropFirst(count)",
      "Leaves out the first values, one if no count is given.",
      demand: "{count} at once, then the same",
      "orders.dropFirst(2)",
      MarbleExample(
        "taps.dropFirst(2)",
        ["taps": "1-2-3-4|"],
        asking: "1",
        gives: "----3--|"
      )
    ),
    stage(
      "drop(while: { value in … }) or drop(untilOutputFrom: publisher)",
      "Leaves out the values before the first that fails the test, or before the other's first.",
      demands: [
        StageDemand(with: "while", asks: "the same, and 1 more for each value left out"),
        StageDemand(
          with: "untilOutputFrom",
          asks: "the same, in which what is left out counts; 1 of the other publisher"
        ),
      ],
      "orders.drop(while: { $0.price < 100 })",
      MarbleExample(
        "taps.drop(untilOutputFrom: start)",
        ["taps": "1-2-3-4|", "start": "---x----"],
        gives: "----3-4|"
      )
    ),
    stage(
      "output(at: index) or output(in: 1...3)",
      "Publishes the values with these places, counted from 0, and finishes.",
      demand: StageDemand(
        asks: "the same, and 1 more for each value left out",
        ends: "after the last of these values"
      ),
      "orders.output(in: 1...3)",
      MarbleExample("taps.output(in: 1...2)", ["taps": "1-2-3-4-|"], gives: "--2-[3|]")
    ),
    stage(
      "ignoreOutput()",
      "Publishes no values, only the end.",
      demand: "unlimited",
      "orders.ignoreOutput()",
      MarbleExample("taps.ignoreOutput()", ["taps": "1-2-3-|"], gives: "------|")
    ),
  ]
}
