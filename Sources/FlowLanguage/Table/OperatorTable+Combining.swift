extension OperatorTable {
  static let combining = [
    stage(
      "append(value, …) or append(publisher)",
      "Publishes more after the end: values, the elements of a literal array or range, or a publisher's.",
      demand: StageDemand(
        asks: "the same; what is left goes to what is appended",
        ends: "after what is appended"
      ),
      "orders.append(returns)",
      MarbleExample("taps.append(8, 9)", ["taps": "1-2-|"], gives: "1-2-[89|]")
    ),
    stage(
      "prepend(value, …) or prepend(publisher)",
      "Publishes something first: values, the elements of a literal array or range, or a publisher's.",
      demand: "what is left when that has ended",
      "orders.prepend([\"price\": 0])",
      MarbleExample(
        "taps.prepend(8, 9)",
        ["taps": "--1-2-|"],
        asking: "3",
        gives: "[89]-1---|"
      )
    ),
    stage(
      "merge(with: publisher, …)",
      "Publishes the values of all, as they come.",
      demand: StageDemand(
        asks: "1 at a time of each publisher; unlimited once that is asked for",
        holds: .each("{publishers}"),
        full: "asks the publisher whose value waits for no more",
        ends: "after the last publisher; at once with a failure"
      ),
      "orders.merge(with: returns)",
      MarbleExample(
        "taps.merge(with: keys)",
        ["taps": "1-2-|", "keys": "-a---b|"],
        gives: "1a2--b|"
      )
    ),
    stage(
      "zip(publisher, …) { a, b in … }",
      "Publishes arrays of the first values of each, the second ones …; or what the closure makes.",
      demand: StageDemand(
        asks: "the same, and as much of the other publishers",
        holds: .asked,
        full: "has no more to come than was asked for; fails when 65536 wait for a partner",
        ends: "with the first publisher whose values are all used",
        makesValues: true
      ),
      "orders.zip(returns) { $0.price - $1.price }",
      MarbleExample(
        "taps.zip(keys) { \"\\($0)\\($1)\" }",
        ["taps": "1-2-3-|", "keys": "---a-b---"],
        gives: "---'1a'-'2b'"
      )
    ),
    stage(
      "combineLatest(publisher, …) { a, b in … }",
      "Publishes arrays of the newest value of each whenever there is a new one; "
        + "or what the closure makes.",
      demand: StageDemand(
        asks: "the same, and as much of the other publishers",
        holds: .each("{publishers}"),
        full: "keeps the newest of each",
        ends: "after the last publisher; at once with a failure",
        makesValues: true
      ),
      "orders.combineLatest(returns) { [$0, $1] }",
      MarbleExample(
        "taps.combineLatest(keys) { \"\\($0)\\($1)\" }",
        ["taps": "1-2-----|", "keys": "-a---b-|"],
        gives: "-'1a''2a'--'2b'--|"
      )
    ),
    stage(
      "withLatest(from: publisher) { a, b in … }",
      "Publishes arrays of each value and the other's newest one; or what the closure makes.",
      demand: StageDemand(
        asks:
          "the same, and 1 more for each value before the other's first; unlimited of the other",
        holds: .values("1"),
        full: "keeps the other's newest",
        makesValues: true
      ),
      "taps.withLatest(from: orders)",
      MarbleExample(
        "taps.withLatest(from: keys) { \"\\($0)\\($1)\" }",
        ["taps": "1-2-3-4-|", "keys": "-a---b---"],
        gives: "--'2a'-'3a'-'4b'-|"
      )
    ),
  ]

  private static func parts(_ part: String, most: String) -> StageDemand {
    StageDemand(
      asks: "1 at a time",
      holds: .each(most),
      full: "asks for no more until the publisher of that \(part) does",
      ends: "after the last publisher; at once with a failure",
      makesValues: true
    )
  }

  static let dividing = [
    stage(
      "group(by: { value in … }, maxGroups: 1024) { group, key in … }",
      "Publishes what the closure makes of the publisher of each key's values.",
      demand: parts("key", most: "{maxGroups}"),
      "orders.group(by: { $0.customer }) { $0.reduce(0) { $0 + $1.price } }",
      MarbleExample(
        "taps.group(by: { $0 % 2 }) { group, key in group.count().map { [key, $0] } }",
        ["taps": "1234-5|"],
        gives: "------['[1,3]''[0,2]'|]"
      )
    ),
    stage(
      "window(count) { window in … } or window(.seconds(number)) { window in … }",
      "Publishes what the closure makes of the publisher of every so many values, or of each time.",
      demand: parts("window", most: "unlimited"),
      "orders.window(.seconds(1)) { $0.reduce(0) { $0 + $1.price } }",
      MarbleExample(
        "taps.window(.seconds(3)) { $0.reduce(0) { $0 + $1 } }",
        ["taps": "-12-----4-|"],
        gives: "---3--0--4[0|]"
      )
    ),
  ]
}
