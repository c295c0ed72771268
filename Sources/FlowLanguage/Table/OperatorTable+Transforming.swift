extension OperatorTable {
  static let transforming = [
    stage(
      "map { value in … }",
      "Publishes what the closure or key path makes of each value.",
      demand: "the same",
      "orders.map { $0.price * $0.quantity }",
      MarbleExample("taps.map { $0 * 2 }", ["taps": "1-2-3-|"], gives: "2-4-6-|")
    ),
    stage(
      "compactMap { value in … }",
      "As map, leaving out null.",
      demand: "the same, and 1 more for each value left out",
      "orders.compactMap { $0.total }",
      MarbleExample(
        "taps.compactMap { $0 == 2 ? null : $0 * 10 }",
        ["taps": "1-2-3-4|"],
        asking: "2",
        gives: "'10'---'30'--|"
      )
    ),
    stage(
      "replaceNil(with: value)",
      "Publishes the value in the place of null.",
      demand: "the same",
      "orders.map(\\.total).replaceNil(with: 0)",
      MarbleExample("taps.replaceNil(with: 0)", ["taps": "1-'null'-3|"], gives: "1-0-3|")
    ),
    stage(
      "scan(initial) { result, value in … }",
      "Publishes each result of the closure, which is given the one before.",
      demand: "the same",
      "orders.scan(0) { $0 + $1.price }",
      MarbleExample("taps.scan(0) { $0 + $1 }", ["taps": "1-2-3-|"], gives: "1-3-6-|")
    ),
    stage(
      "flatMap(maxPublishers: .unlimited) { value in … }",
      "Publishes what the publishers made by the closure publish.",
      demand: StageDemand(
        asks: "{maxPublishers}, then 1 for each publisher that finishes",
        holds: .each("{maxPublishers}"),
        full: "asks no publisher for more, and makes no new one",
        ends: "after the last publisher; at once with a failure",
        makesValues: true
      ),
      "taps.flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 3) }",
      MarbleExample(
        "taps.flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 2) }",
        ["taps": "-123-4-|"],
        gives: "---12--[4|]"
      )
    ),
    stage(
      "concatMap { value in … }",
      "As flatMap, one publisher after the other.",
      demand: StageDemand(
        asks: "1, then 1 for each publisher that finishes",
        holds: .each("1"),
        full: "asks the publisher for no more, and makes no new one",
        ends: "after the last publisher; at once with a failure",
        makesValues: true
      ),
      "taps.concatMap { Just($0).delay(for: 1) }",
      MarbleExample("[3, 1].publisher.concatMap { Just($0).delay(for: $0) }", gives: "---3[1|]")
    ),
    stage(
      "flatMapLatest { value in … }",
      "Publishes what the closure's latest publisher publishes; the one before is cancelled.",
      demand: latest,
      "taps.flatMapLatest { Just($0).delay(for: 1) }",
      MarbleExample(
        "taps.flatMapLatest { Just($0).delay(for: 2) }",
        ["taps": "-12---3|"],
        gives: "----2---[3|]"
      )
    ),
    stage(
      "switchToLatest()",
      "Belongs behind a map whose closure ends in a publisher: the two are flatMapLatest.",
      demand: latest,
      "taps.map { Just($0).delay(for: 1) }.switchToLatest()",
      MarbleExample(
        "taps.map { Just($0).delay(for: 2) }.switchToLatest()",
        ["taps": "-12---3|"],
        gives: "----2---[3|]"
      )
    ),
  ]

  private static let latest = StageDemand(
    asks: "unlimited; each publisher for what is still asked for",
    ends: "after the latest publisher; at once with a failure",
    makesValues: true
  )
}
