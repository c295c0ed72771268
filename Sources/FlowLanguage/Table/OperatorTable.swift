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
  public static func isForeign(_ name: String) -> Bool { foreignSources[name] != nil }

  /// There is no operator of this name.
  static func unknown(_ name: Identifier) -> Diagnostic {
    if let hint = hints[name.text] {
      return Diagnostic("\(name.text) is not available in a pipeline: \(hint)", at: name.range)
    }
    if name.text == "publisher" {
      return Diagnostic("publisher takes no parentheses: [1, 2].publisher", at: name.range)
    }
    if let entry = entry(name.text), entry.role == .source {
      let message = "\(name.text) is a source and must begin a pipeline: \(entry.signature)"
      return Diagnostic(message, at: name.range)
    }
    guard let other = elsewhere[name.text] else {
      return .unknown("operator", name.text, at: name.range, among: operators)
    }
    let message = "there is no operator \"\(name.text)\""
    return Diagnostic(message, at: name.range, suggestion: other)
  }

  /// What other libraries call operators.
  private static let elsewhere = [
    "take": "prefix", "takeUntil": "prefix", "takeWhile": "prefix", "skip": "dropFirst",
    "skipWhile": "drop", "startWith": "prepend", "concat": "append", "endWith": "append",
    "distinctUntilChanged": "removeDuplicates", "distinct": "removeDuplicates",
    "switchMap": "flatMapLatest", "switchLatest": "switchToLatest", "mergeMap": "flatMap",
    "withLatestFrom": "withLatest", "shareReplay": "share", "groupBy": "group",
    "catchError": "catch", "catchAndReturn": "replaceError",
    "onBackpressureBuffer": "buffer", "elementAt": "output", "toArray": "collect",
    "chunked": "collect", "batch": "collect", "where": "filter", "fold": "reduce",
    "doOnNext": "print", "tap": "print",
  ]

  /// What there is instead of sources that Swift has.
  static let foreignSources = [
    "Future": "use ask(service, value), which waits for an answer, or Just(value)",
    "PassthroughSubject": "define a subject with SUBJECT NAME and use its name",
    "CurrentValueSubject": "define a subject with SUBJECT NAME current VALUE and use its name",
    "AnyPublisher": "use the name of the publisher",
    "URLSession": "use ask(service, value), answered by a client that fetches",
    "NotificationCenter": "use a subject, to which clients SEND values",
    "AsyncStream": "use a subject, to which clients SEND values",
    "Observable": "use Just, [1, 2].publisher or a name",
    "Publishers": "use Publishers.Zip, Merge, CombineLatest, Sequence or Concatenate",
    "DispatchQueue": "use it as scheduler: DispatchQueue.main",
  ]

  /// What is said of an operator of Combine's that has no place in a pipeline.
  static let hints = [
    "sink": "subscribe to the pipeline with SUB",
    "store": "SUB keeps the subscription until CANCEL",
    "multicast": "use share() or share(replay: 1)",
    "makeConnectable": "share() connects with the first subscriber",
    "connect": "share() connects with the first subscriber",
    "handleEvents": "use print(\"label\"), which logs what passes, or log(\"label\")",
    "breakpointOnError": "use print(\"label\"), which logs what passes",
    "values": "subscribe to the pipeline with SUB",
    "breakpoint": "use print(\"label\"), which logs what passes",
    "encode": "values are already JSON",
    "decode": "values are already JSON",
    "assertNoFailure": "use replaceError(with:) or catch",
  ]

  static func source(
    _ signature: String,
    _ summary: String,
    demand: StageDemand,
    _ example: String,
    _ marbles: MarbleExample?,
    ignores ignored: [String] = [],
    traits: Traits = [],
    rate: OperatorEntry.RateLimit? = nil,
    _ form: OperatorEntry.Form
  ) -> OperatorEntry {
    OperatorEntry(
      signature: signature,
      summary: summary,
      demands: [demand],
      example: example,
      marbles: marbles,
      form: form,
      ignored: ignored,
      traits: traits,
      rate: rate
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
      compile: compile
    )
  }

  static func stage(
    _ signature: String,
    _ summary: String,
    demands: [StageDemand],
    _ example: String,
    _ marbles: MarbleExample,
    ignores ignored: [String] = [],
    traits: Traits = [],
    delay: OperatorEntry.Delay = .none,
    rate: OperatorEntry.RateLimit? = nil,
    compile: @escaping OperatorEntry.CompileStage
  ) -> OperatorEntry {
    OperatorEntry(
      signature: signature,
      summary: summary,
      demands: demands,
      example: example,
      marbles: marbles,
      form: .stage(compile),
      ignored: ignored,
      traits: traits,
      delay: delay,
      rate: rate
    )
  }

  static func tail(
    _ signature: String,
    _ summary: String,
    demand: StageDemand,
    _ example: String,
    _ marbles: MarbleExample,
    compile: @escaping OperatorEntry.CompileTail
  ) -> OperatorEntry {
    OperatorEntry(
      signature: signature,
      summary: summary,
      demands: [demand],
      example: example,
      marbles: marbles,
      form: .tail(compile)
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
      marbles: nil,
      form: .ending(compile)
    )
  }
}
