/// All sources, operators and endings: what the compiler checks against, and what help is made of.
public enum OperatorTable {
  /// The sources, then the operators, then the endings.
  public static let all: [OperatorEntry] = [
    beginning, sequences, deferring, ticking, asking,
    mapping, scanning, pairing, flattening, filtering, folding, collecting, reducing, statistics,
    appending, combining, sampling, joining, grouping, errorHandling, timing, pacing, buffering,
    sharing, logging, connecting, erasing,
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
  static let sourceNames = all.filter { $0.role == .source }.map(\.name)

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// What Combine calls the operators whose closures may fail, which all closures may here.
  private static let throwing: [String: String] = [
    "tryMap": "map", "tryCompactMap": "compactMap", "tryFilter": "filter", "tryScan": "scan",
    "tryReduce": "reduce", "tryRemoveDuplicates": "removeDuplicates", "tryFirst": "first",
    "tryLast": "last", "tryPrefix": "prefix", "tryDrop": "drop", "tryContains": "contains",
    "tryAllSatisfy": "allSatisfy", "tryMin": "min", "tryMax": "max", "tryCatch": "catch",
  ]

  /// Whether a pipeline may not begin with this name of Swift's, unless something is called so.
  public static func isForeign(_ name: String) -> Bool { ForeignWord.row(name, .type) != nil }

  /// There is no operator of this name, the call of which ends at `end`.
  static func unknown(
    _ name: Identifier,
    _ call: ForeignCall = ForeignCall(),
    to end: Int? = nil
  ) -> Diagnostic {
    if let word = ForeignWord.row(name.text, .stage) {
      return word.diagnostic(name, call, to: end)
    }
    if name.text == "publisher" {
      return Diagnostic("publisher takes no parentheses: [1, 2].publisher", at: name.range)
    }
    if let entry = entry(name.text), entry.role == .source {
      let message = "\(name.text) is a source and must begin a pipeline: \(entry.signature)"
      return Diagnostic(message, at: name.range)
    }
    return .unknown("operator", name.text, at: name.range, among: operators)
  }

  static func source(
    _ signature: String,
    _ summary: String,
    demand: StageDemand,
    _ example: String,
    _ marbles: MarbleExample?,
    ignores ignored: [String] = [],
    traits: Traits = [],
    rate: OperatorEntry.RateLimit? = nil,
    price: StagePrice,
    _ form: OperatorEntry.Form
  ) -> OperatorEntry {
    OperatorEntry(
      signature: signature,
      summary: summary,
      demands: [demand],
      example: example,
      marbles: [marbles].compactMap(\.self),
      form: form,
      ignored: ignored,
      traits: traits,
      rate: rate,
      price: price
    )
  }

  static func stage(
    _ signature: String,
    _ summary: String,
    demand: StageDemand,
    _ example: String,
    _ marbles: MarbleExample,
    ignores ignored: [String] = [],
    traits: Traits = [],
    delay: OperatorEntry.Delay = .none,
    rate: OperatorEntry.RateLimit? = nil,
    price: StagePrice,
    compile: @escaping OperatorEntry.CompileStage
  ) -> OperatorEntry {
    stage(
      signature,
      summary,
      demands: [demand],
      example,
      marbles,
      ignores: ignored,
      traits: traits,
      delay: delay,
      rate: rate,
      price: price,
      compile: compile
    )
  }

  static func stage(
    _ signature: String,
    _ summary: String,
    demands: [StageDemand],
    _ example: String,
    _ marbles: MarbleExample,
    also others: [MarbleExample] = [],
    ignores ignored: [String] = [],
    traits: Traits = [],
    delay: OperatorEntry.Delay = .none,
    rate: OperatorEntry.RateLimit? = nil,
    price: StagePrice,
    compile: @escaping OperatorEntry.CompileStage
  ) -> OperatorEntry {
    OperatorEntry(
      signature: signature,
      summary: summary,
      demands: demands,
      example: example,
      marbles: [marbles] + others,
      form: .stage(compile),
      ignored: ignored,
      traits: traits,
      delay: delay,
      rate: rate,
      price: price
    )
  }

  static func tail(
    _ signature: String,
    _ summary: String,
    demand: StageDemand,
    _ example: String,
    _ marbles: MarbleExample,
    price: StagePrice,
    compile: @escaping OperatorEntry.CompileTail
  ) -> OperatorEntry {
    OperatorEntry(
      signature: signature,
      summary: summary,
      demands: [demand],
      example: example,
      marbles: [marbles],
      form: .tail(compile),
      price: price
    )
  }

  static func ending(
    _ signature: String,
    _ summary: String,
    demand: StageDemand,
    _ example: String,
    compile: @escaping OperatorEntry.CompileEnding
  ) -> OperatorEntry {
    OperatorEntry(
      signature: signature,
      summary: summary,
      demands: [demand],
      example: example,
      marbles: [],
      form: .ending(compile)
    )
  }
}
