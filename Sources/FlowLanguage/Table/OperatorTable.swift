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
    demand: StageDemand,
    _ example: String
  ) -> OperatorEntry {
    entry(signature, summary, [demand], example, .source)
  }

  private static func stage(
    _ signature: String,
    _ summary: String,
    demand: StageDemand,
    _ example: String
  ) -> OperatorEntry {
    entry(signature, summary, [demand], example, .stage)
  }

  private static func stage(
    _ signature: String,
    _ summary: String,
    demands: [StageDemand],
    _ example: String
  ) -> OperatorEntry {
    entry(signature, summary, demands, example, .stage)
  }

  private static func entry(
    _ signature: String,
    _ summary: String,
    _ demands: [StageDemand],
    _ example: String,
    _ role: OperatorEntry.Role
  ) -> OperatorEntry {
    let name = signature.prefix { $0.isLetter }
    return OperatorEntry(
      name: String(name),
      signature: signature,
      summary: summary,
      demands: demands,
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
      demand: StageDemand(asks: "waits for one", ends: "after its value"),
      "Just([1, 2])"
    ),
    source(
      "Empty()",
      "Finishes at once.",
      demand: StageDemand(asks: "needs none", ends: "at once"),
      "Empty()"
    ),
    source(
      "Fail(text)",
      "Fails at once.",
      demand: StageDemand(asks: "needs none", ends: "with its failure, at once"),
      "Fail(\"closed\")"
    ),
    source(
      "publisher",
      "Publishes the elements of an array or range and finishes.",
      demand: StageDemand(asks: "gives what is asked for", ends: "after the last element"),
      "(1...10).publisher"
    ),
    source(
      "Timer.publish(every: time).autoconnect()",
      "Counts 1, 2, 3 … from the subscription on.",
      demand: StageDemand(asks: "a tick without demand is dropped", ends: "never"),
      "Timer.publish(every: .seconds(1)).autoconnect()"
    ),
    source(
      "ask(service, value)",
      "Publishes what a client that said SERVE answers to the value.",
      demand: StageDemand(
        asks: "goes to the client that answers",
        ends: "when the client says so, or fails when it goes"
      ),
      "orders.flatMap(maxPublishers: .max(3)) { ask(resize, $0).retry(3) }"
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
      demand: "the same, and 1 more for each value left out",
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
      demand: StageDemand(
        asks: "{maxPublishers}, then 1 for each publisher that finishes",
        holds: .each("{maxPublishers}"),
        full: "asks no publisher for more, and makes no new one",
        ends: "after the last publisher; at once with a failure",
        makesValues: true
      ),
      "taps.flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 3) }"
    ),
  ]

  private static let choosing = [
    stage(
      "filter { value in … }",
      "Publishes the values for which the closure is true.",
      demand: "the same, and 1 more for each value left out",
      "orders.filter { $0.price > 100 }"
    ),
    stage(
      "reduce(initial) { result, value in … }",
      "Publishes the last result of the closure when upstream finishes.",
      demand: StageDemand(
        asks: "unlimited",
        holds: .values("1"),
        full: "goes on folding",
        ends: "after its result",
        makesValues: true
      ),
      "(1...10).publisher.reduce(0) { $0 + $1 }"
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
      "orders.first { $0.urgent }"
    ),
    stage(
      "prefix(count) or prefix(while: { value in … })",
      "Publishes the first values and finishes.",
      demands: [
        StageDemand(
          with: "while",
          asks: "the same",
          ends: "at the first value that fails the test"
        ),
        StageDemand(asks: "the same", ends: "after {count} values"),
      ],
      "orders.prefix(3)"
    ),
    stage(
      "dropFirst(count)",
      "Leaves out the first values, one if no count is given.",
      demand: "{count} at once, then the same",
      "orders.dropFirst(2)"
    ),
  ]

  private static let combining = [
    stage(
      "merge(with: publisher, …)",
      "Publishes the values of all, as they come.",
      demand: StageDemand(
        asks: "1 at a time of each publisher; unlimited once that is asked for",
        holds: .each("{publishers}"),
        full: "asks the publisher whose value waits for no more",
        ends: "after the last publisher; at once with a failure"
      ),
      "orders.merge(with: returns)"
    ),
    stage(
      "share()",
      "Subscribes once for all subscribers.",
      demand: StageDemand(
        asks: "unlimited; a subscriber without demand misses the value",
        ends: "with its upstream, for all subscribers"
      ),
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
      demand: StageDemand(
        asks: "the same; what is left goes to the new publisher",
        ends: "with its upstream, or with the new publisher"
      ),
      "orders.catch { Just($0.message) }"
    ),
    stage(
      "retry(count)",
      "Subscribes again after a failure, at most count times.",
      demand: StageDemand(
        asks: "the same; what is left goes to the new subscription",
        ends: "with its upstream, or with the failure after {count} retries"
      ),
      "orders.retry(3)"
    ),
    stage(
      "replaceError(with: value)",
      "Publishes the value instead of a failure and finishes.",
      demand: StageDemand(
        asks: "the same",
        ends: "with its upstream, or after the value instead of a failure"
      ),
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
      demand: StageDemand(
        asks: "the same",
        holds: .asked,
        full: "has no more to come than was asked for",
        ends: "{time} after its upstream"
      ),
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
      demands: [
        StageDemand(
          with: ".byRequest",
          asks: "unlimited",
          holds: .values("{size}"),
          full: "{whenFull}",
          ends: "after what it holds"
        ),
        StageDemand(
          with: ".keepFull",
          asks: "{size}, then 1 for each value taken",
          holds: .values("{size}"),
          full: "stops asking; {whenFull} for what comes all the same",
          ends: "after what it holds"
        ),
      ],
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
      ["what the subject grants"],
      "orders.map { $0.price }.subscribe(returns)",
      .ending
    ),
    entry(
      "assign(to: subject)",
      "Ends a run: the values go to the subject, which goes on after the end.",
      ["what the subject grants"],
      "orders.scan(0) { $0 + $1.price }.assign(to: returns)",
      .ending
    ),
  ]
}
