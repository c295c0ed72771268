/// All sources, operators and endings: what the compiler checks against, and what help is made of.
public enum OperatorTable {
  /// The sources, then the operators, then the endings.
  public static let all =
    sources + transforming + choosing + combining + failing + timing + others + endings

  /// The entry called `name`.
  public static func entry(_ name: String) -> OperatorEntry? { byName[name] }

  /// The names of the operators.
  static let operators = all.filter { $0.role == .stage }.map(\.name)
  /// The names of what can be called to begin a pipeline.
  static let sourceNames = sources.map(\.name)

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  private static func source(
    _ signature: String,
    _ summary: String,
    demand: String,
    _ example: String
  ) -> OperatorEntry {
    entry(signature, summary, demand, example, .source)
  }

  private static func stage(
    _ signature: String,
    _ summary: String,
    demand: String,
    _ example: String
  ) -> OperatorEntry {
    entry(signature, summary, demand, example, .stage)
  }

  private static func entry(
    _ signature: String,
    _ summary: String,
    _ demand: String,
    _ example: String,
    _ role: OperatorEntry.Role
  ) -> OperatorEntry {
    let name = signature.prefix { $0.isLetter }
    return OperatorEntry(
      name: String(name),
      signature: signature,
      summary: summary,
      demand: demand,
      example: example,
      role: role
    )
  }
}

// MARK: - Sources

extension OperatorTable {
  private static let sources = [
    source(
      "Just(value)",
      "Publishes one value and finishes.",
      demand: "waits for one",
      "Just([1, 2])"
    ),
    source(
      "Empty()",
      "Finishes at once.",
      demand: "needs none",
      "Empty()"
    ),
    source(
      "Fail(text)",
      "Fails at once.",
      demand: "needs none",
      "Fail(\"closed\")"
    ),
    source(
      "publisher",
      "Publishes the elements of an array or range and finishes.",
      demand: "gives what is asked for",
      "(1...10).publisher"
    ),
    source(
      "Timer.publish(every: time).autoconnect()",
      "Counts 1, 2, 3 … from the subscription on.",
      demand: "a tick without demand is dropped",
      "Timer.publish(every: .seconds(1)).autoconnect()"
    ),
  ]
}

// MARK: - Values

extension OperatorTable {
  private static let transforming = [
    stage(
      "map { value in … }",
      "Publishes what the closure or key path makes of each value.",
      demand: "the same",
      "orders.map { $0.price * $0.quantity }"
    ),
    stage(
      "tryMap { value in … }",
      "As map; any closure may fail(\"text\").",
      demand: "the same",
      "orders.tryMap { $0.open ? $0 : fail(\"closed\") }"
    ),
    stage(
      "compactMap { value in … }",
      "As map, leaving out null.",
      demand: "one more for each value left out",
      "orders.compactMap { $0.total }"
    ),
    stage(
      "scan(initial) { result, value in … }",
      "Publishes each result of the closure, which is given the one before.",
      demand: "the same",
      "orders.scan(0) { $0 + $1.price }"
    ),
    stage(
      "flatMap(maxPublishers: .unlimited) { value in … }",
      "Publishes what the publishers made by the closure publish.",
      demand: "asks for maxPublishers values, and one more for each publisher that finishes",
      "taps.flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 3) }"
    ),
  ]

  private static let choosing = [
    stage(
      "filter { value in … }",
      "Publishes the values for which the closure is true.",
      demand: "one more for each value left out",
      "orders.filter { $0.price > 100 }"
    ),
    stage(
      "reduce(initial) { result, value in … }",
      "Publishes the last result of the closure when upstream finishes.",
      demand: "unlimited",
      "(1...10).publisher.reduce(0) { $0 + $1 }"
    ),
    stage(
      "first() or first(where: { value in … })",
      "Publishes the first value, or the first for which the closure is true, and finishes.",
      demand: "until the first",
      "orders.first { $0.urgent }"
    ),
    stage(
      "prefix(count) or prefix(while: { value in … })",
      "Publishes the first values and finishes.",
      demand: "the same",
      "orders.prefix(3)"
    ),
    stage(
      "dropFirst(count)",
      "Leaves out the first values, one if no count is given.",
      demand: "as many more as are left out",
      "orders.dropFirst(2)"
    ),
  ]

  private static let combining = [
    stage(
      "merge(with: publisher, …)",
      "Publishes the values of all, as they come.",
      demand: "the same of each",
      "orders.merge(with: returns)"
    ),
    stage(
      "share()",
      "Subscribes once for all subscribers.",
      demand: "the most any subscriber asks for",
      "orders.share()"
    ),
  ]
}

// MARK: - Failures, time and the rest

extension OperatorTable {
  private static let failing = [
    stage(
      "catch { error in … }",
      "Goes on with the closure's publisher after a failure (error.code, error.message).",
      demand: "what is left goes to the new publisher",
      "orders.catch { Just($0.message) }"
    ),
    stage(
      "retry(count)",
      "Subscribes again after a failure, at most count times.",
      demand: "what is left goes to the new subscription",
      "orders.retry(3)"
    ),
    stage(
      "replaceError(with: value)",
      "Publishes the value instead of a failure and finishes.",
      demand: "the same",
      "orders.replaceError(with: null)"
    ),
    stage(
      "mapError { error in … }",
      "Fails with the text the closure makes of the failure.",
      demand: "the same",
      "orders.mapError { \"orders: \\($0.message)\" }"
    ),
    stage(
      "setFailureType(to: Error)",
      "Has no effect; accepted as Combine has it.",
      demand: "the same",
      "Just(1).setFailureType(to: Error)"
    ),
  ]

  private static let timing = [
    stage(
      "delay(for: time, scheduler: DispatchQueue.main)",
      "Publishes everything later.",
      demand: "the same",
      "taps.delay(for: .milliseconds(100))"
    ),
    stage(
      "receive(on: DispatchQueue.main)",
      "Has no effect; accepted as Combine has it.",
      demand: "the same",
      "taps.receive(on: DispatchQueue.main)"
    ),
  ]

  private static let others = [
    stage(
      "buffer(size: count, prefetch: .keepFull, whenFull: .dropOldest)",
      "Holds values until they are asked for (.byRequest, .dropNewest, .customError(\"text\")).",
      demand: ".keepFull asks for size and one more for each value taken; .byRequest: unlimited",
      "taps.buffer(size: 20, prefetch: .keepFull, whenFull: .dropOldest)"
    ),
    stage(
      "print(label)",
      "Writes everything that passes into the log.",
      demand: "the same",
      "taps.print(\"taps\")"
    ),
    stage(
      "autoconnect()",
      "Belongs to Timer.publish.",
      demand: "the same",
      "Timer.publish(every: 1).autoconnect()"
    ),
    stage(
      "eraseToAnyPublisher()",
      "Has no effect; accepted as Combine has it.",
      demand: "the same",
      "taps.eraseToAnyPublisher()"
    ),
  ]
}

// MARK: - Endings

extension OperatorTable {
  private static let endings = [
    entry(
      "subscribe(subject)",
      "Ends a run: the values go to the subject, and so does the end.",
      "what the subject grants",
      "orders.map { $0.price }.subscribe(returns)",
      .ending
    ),
    entry(
      "assign(to: subject)",
      "Ends a run: the values go to the subject, which goes on after the end.",
      "what the subject grants",
      "orders.scan(0) { $0 + $1.price }.assign(to: returns)",
      .ending
    ),
  ]
}
