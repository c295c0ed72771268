/// All sources, operators and endings: what the compiler checks against, and what help is made of.
public enum OperatorTable {
  /// The sources, then the operators, then the endings.
  public static let all: [OperatorEntry] = [
    sources, transforming, choosing, reducing, combining, dividing, failing, timing, holding,
    others,
    endings,
  ].flatMap { $0 }

  /// The entry called `name`; `tryMap` and its like are those without the `try`.
  public static func entry(_ name: String) -> OperatorEntry? {
    byName[name] ?? throwing[name].flatMap { byName[$0] }
  }

  /// The names of the operators.
  static let operators: [String] =
    all.filter { $0.role == .stage }.map(\.name) + throwing.keys.sorted()
  /// The names of what can be called to begin a pipeline.
  static let sourceNames = sources.map(\.name)

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// What Combine calls the operators whose closures may fail, which all closures may here.
  private static let throwing: [String: String] = [
    "tryMap": "map", "tryCompactMap": "compactMap", "tryFilter": "filter", "tryScan": "scan",
    "tryReduce": "reduce", "tryRemoveDuplicates": "removeDuplicates", "tryFirst": "first",
    "tryLast": "last", "tryPrefix": "prefix", "tryDrop": "drop", "tryContains": "contains",
    "tryAllSatisfy": "allSatisfy", "tryMin": "min", "tryMax": "max", "tryCatch": "catch",
  ]

  /// What is said of an operator of Combine's that has no place in a pipeline.
  static let hints = [
    "sink": "SUB subscribes to it",
    "store": "SUB keeps its subscription until CANCEL",
    "multicast": "share() or share(replay: 1) is it here",
    "makeConnectable": "share() connects with the first subscriber",
    "connect": "share() connects with the first subscriber",
    "handleEvents": "print(\"label\") writes what passes into the log",
    "breakpoint": "print(\"label\") writes what passes into the log",
    "encode": "values are JSON on the wire anyway",
    "decode": "values are JSON on the wire anyway",
    "assertNoFailure": "replaceError(with:) and catch deal with failures",
  ]

  static func source(
    _ signature: String,
    _ summary: String,
    demand: StageDemand,
    _ example: String,
    _ marbles: MarbleExample? = nil
  ) -> OperatorEntry {
    entry(signature, summary, [demand], example, marbles, .source)
  }

  static func stage(
    _ signature: String,
    _ summary: String,
    demand: StageDemand,
    _ example: String,
    _ marbles: MarbleExample
  ) -> OperatorEntry {
    entry(signature, summary, [demand], example, marbles, .stage)
  }

  static func stage(
    _ signature: String,
    _ summary: String,
    demands: [StageDemand],
    _ example: String,
    _ marbles: MarbleExample
  ) -> OperatorEntry {
    entry(signature, summary, demands, example, marbles, .stage)
  }

  static func ending(
    _ signature: String,
    _ summary: String,
    demand: StageDemand,
    _ example: String
  ) -> OperatorEntry {
    entry(signature, summary, [demand], example, nil, .ending)
  }

  private static func entry(
    _ signature: String,
    _ summary: String,
    _ demands: [StageDemand],
    _ example: String,
    _ marbles: MarbleExample?,
    _ role: OperatorEntry.Role
  ) -> OperatorEntry {
    let name = signature.prefix { $0.isLetter }
    return OperatorEntry(
      name: String(name),
      signature: signature,
      summary: summary,
      demands: demands,
      example: example,
      marbles: marbles,
      role: role
    )
  }
}
