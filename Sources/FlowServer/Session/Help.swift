internal import FlowLanguage
internal import FlowWire
internal import Spelling

/// The rows of HELP, made from the parsers' tables.
enum Help {
  static func rows(for word: String?, _ metrics: [Metric]) -> [String]? {
    guard let word else { return overview }
    let functions = FunctionTable.entries(word).flatMap { rows(for: $0) }
    // The case matters for operators only: `Fail` is a source, `FAIL` a command.
    if let entry = OperatorTable.entry(word) { return rows(for: entry) + functions }
    let command = CommandTable.entry(named: word).map { rows(for: $0) }
    let others = command ?? HelpTopic.named(word)?.lines(metrics) ?? []
    return others.isEmpty && functions.isEmpty ? nil : others + functions
  }

  static func nearestTopic(to word: String) -> String? {
    nearest(
      to: word,
      among: CommandTable.all.map(\.name) + OperatorTable.all.map(\.name) + FunctionTable.names
        + HelpTopic.allCases.map(\.rawValue)
    )
  }

  private static var overview: [String] {
    let forms = CommandTable.all.map { "\($0.form)   \($0.summary)" }
    let operators = OperatorTable.all.map(\.name).joined(separator: " ")
    let functions = FunctionTable.names.joined(separator: " ")
    let topics = HelpTopic.allCases.map(\.rawValue).joined(separator: " ")
    return forms + [
      "operators: \(operators)", "functions: \(functions)", "topics: \(topics)",
      "HELP WORD explains a command, an operator, a function or a topic",
    ]
  }

  private static func rows(for entry: CommandEntry) -> [String] {
    let details = Verb(rawValue: entry.name)?.details ?? frames[entry.name] ?? []
    return [entry.form, entry.summary] + details + entry.examples.map { "example: \($0)" }
  }

  /// The details of value frames.
  private static let frames = [
    "=": [
      "TEXT is everything after the second space, up to the line end; \"= ID\" is the empty value",
      "exactly one space before ID and before TEXT; TEXT is at most 1 MiB",
    ],
    ":": [
      "for values that contain a line end; LEN is at most 1048576, a longer value is skipped",
      "without a line end after the LEN bytes the connection ends with BYE framing",
    ],
  ]

  private static func rows(for entry: OperatorEntry) -> [String] {
    [entry.signature, entry.summary]
      + entry.demands.flatMap { rows(for: $0, entry.role == .source) }
      + ["example: \(entry.example)"] + marbles(of: entry)
  }

  /// The marble diagram: one character for each second.
  private static func marbles(of entry: OperatorEntry) -> [String] {
    guard !entry.marbles.isEmpty else { return [] }
    return ["marble diagram, one character per second:"]
      + entry.marbles.flatMap { $0.rows }
  }

  private static func rows(for demand: StageDemand, _ isSource: Bool) -> [String] {
    let general = demand.general
    let form = demand.form.map { " (\($0))" } ?? ""
    var rows = ["\(isSource ? "demand" : "asks upstream for")\(form): \(general.asks)"]
    if general.holds != .nothing {
      rows.append("holds\(form): \(general.holds.text)")
      rows.append("when full\(form): \(general.full)")
    }
    return rows + ["ends\(form): \(general.ends)"]
  }

  private static func rows(for entry: FunctionEntry) -> [String] {
    [entry.signature, entry.summary, "example: \(entry.example) is \(entry.result)"]
  }
}
