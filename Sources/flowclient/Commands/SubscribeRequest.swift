import FlowWire
import Programs

/// The options of `sub EXPR`, `tap NAME` and `take EXPR N`.
struct SubscribeRequest: ClientCommand {
  var expression = ""
  var count: UInt64?
  /// The demand kept ahead of the printed values.
  var window: DemandPlan.Window?
  var durable: String?
  var delay: Duration?
  var length: Duration?
  var timeout: Duration?
  var isManual = false
  /// The place to tap; `nil` for a subscription.
  var tap: TapPlace?
  /// The value of `--format`.
  var form: ValueFormat.Form?
  /// Whether NUL ends a value instead of a line end.
  var endsWithNull = false

  static let entry = VerbEntry(
    SubscribeRequest(),
    usage: "sub EXPR",
    group: .values,
    summary: "print the values of a subject, a pipeline or an expression",
    remark: rawRemark,
    operand: .source,
    options: [
      count,
      .demand(
        "keep N values requested; max: no limit (default 16384, more from afar)",
        \.window
      ),
      format, .null(\.endsWithNull),
      .value(
        "durable",
        .durable,
        "go on where NAME was, of a subject on=nats; what is printed is acknowledged",
        \.durable
      ),
      .delay(\.delay), .length(\.length), .timeout(\.timeout),
      .flag(
        "manual",
        "request by hand: space 1, digits and Enter that many, a all, q quit",
        \.isManual
      ),
    ],
    forms: ["text", "raw", "json"],
    examples: [
      "flowclient sub orders", "flowclient sub -n 3 'orders.filter { $0.price > 100 }'",
      "flowclient sub slow --manual", "flowclient sub orders --durable billing",
      "flowclient sub orders --format template '{id}: {price}'",
    ]
  )

  static let tapEntry = VerbEntry(
    SubscribeRequest(),
    usage: "tap NAME[.STAGE]",
    group: .values,
    summary: "print the values that pass a name, without affecting demand",
    remark: rawRemark,
    operand: .name,
    options: [count, format, .null(\.endsWithNull), .length(\.length)],
    forms: ["text", "raw", "json"],
    examples: [
      "flowclient tap orders", "flowclient tap -n 5 totals", "flowclient tap totals.0 --for 10s",
    ]
  )

  private static let count: CommandOption<Self> =
    .count("ask for exactly N values, then exit", \.count)
  private static let format: CommandOption<Self> = .value(
    "format",
    .valueForm,
    "csv, ndjson, or template TEXT with {member} in it",
    \.form
  )
  private static let rawRemark =
    "-o raw prints the bytes of the values and nothing between them: line ends only where a value has them. Lines that send "
    + "has read are values without their line ends; print those as text, which puts a line end behind each value. The "
    + "pieces of send --chunks, printed with -o raw, are the file again."

  mutating func read(_ words: CommandWords) throws(UsageError) {
    if let form {
      if words.output != nil { throw UsageError("-o and --format cannot be combined") }
      if form == .csv, endsWithNull {
        throw UsageError("-0 cannot be combined with --format csv, whose records are lines")
      }
    }
    if words.verb.lowercased() == "tap" { try readPlace(words) } else { try readExpression(words) }
  }

  /// Reads `EXPR`, or `EXPR N|max` as in the protocol.
  private mutating func readExpression(_ words: CommandWords) throws(UsageError) {
    let verb = words.verb
    var words = words.operands
    if words.count > 1, let last = words.last {
      if let number = UInt64(last) {
        count = count ?? number
        words.removeLast()
      } else if last.lowercased() == "max" {
        window = window ?? .unlimited
        words.removeLast()
      }
    }
    expression = CommandWords.joinLines(words.joined(separator: " "))
    guard !expression.isEmpty else {
      throw UsageError("\(verb) needs an EXPR", advice: CommandWords.example("sub"))
    }
    if words.count > 1 { try checkIsQuoted(words, verb) }
    if verb.lowercased() == "take", count == nil {
      throw UsageError(
        "take needs a number of values",
        advice: "as in: flowclient take orders 3"
      )
    }
    if isManual, window != nil || delay != nil || count != nil {
      throw UsageError("--manual cannot be combined with -n, --demand or --delay")
    }
    if durable != nil { try checkDurable() }
  }

  /// Refuses words that are no expression, as a shell makes of one without quotes.
  private func checkIsQuoted(_ words: [String], _ verb: String) throws(UsageError) {
    guard !Expression.isWhole(expression) else { return }
    let areNames = words.allSatisfy(Name.isReadable)
    let others = words.dropFirst().joined(separator: ", ")
    let meant = areNames ? "\(words[0]).merge(with: \(others))" : expression
    throw UsageError(
      "\(verb) takes one EXPR, in quotes; there are \(words.count) words",
      advice: meant.contains("'") ? nil : "as in: flowclient \(verb) '\(meant)'"
    )
  }

  /// Refuses demand settings that a durable subscription, whose requests acknowledge, cannot have.
  private func checkDurable() throws(UsageError) {
    switch window {
    case nil, .upTo(1...16_384): break
    default: throw UsageError("--durable needs a --demand of 1 to 16384")
    }
  }

  /// Reads `NAME[.STAGE]`.
  private mutating func readPlace(_ words: CommandWords) throws(UsageError) {
    guard words.operands.count == 1 else {
      throw UsageError("tap needs a NAME", advice: words.example)
    }
    expression = words.operands[0]
    let parts = expression.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard Name.isReadable(name) else {
      throw UsageError("\"\(expression)\" is no name", advice: words.example)
    }
    tap = TapPlace(name: name)
    if parts.count > 1 {
      guard let stage = UInt64(parts[1]).flatMap({ Int(exactly: $0) }) else {
        throw UsageError(
          "\"\(parts[1])\" is no stage; expected a number from 0",
          advice: "flowclient show \(name) shows the stages"
        )
      }
      tap?.stage = stage
    }
  }

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    let session = session.printing(form, endsWithNull: endsWithNull)
    return try await Subscribing(request: self, session: session).run()
  }
}

/// A name, and the number of one of its stages.
struct TapPlace: Equatable {
  var name: String
  var stage: Int?
}

extension OptionType<String> {
  fileprivate static var durable: Self {
    Self("NAME", Name.wordGrammar) { Name.isWord($0) ? $0 : nil }
  }
}

extension OptionType<ValueFormat.Form> {
  /// Reads `csv`, `ndjson`, or `template=TEXT`, which `template` and the next word also make.
  fileprivate static var valueForm: Self {
    Self("FORM", words: ["csv", "ndjson", "template"]) { option throws(UsageError) in
      switch option.value {
      case "csv": return .csv
      case "ndjson": return .ndjson
      case let text where text.hasPrefix("template="):
        return .template(try ValueTemplate(String(text.dropFirst("template=".count))))
      case let text:
        let isForm = SubscribeRequest.entry.forms.contains(text)
        let hint = isForm ? "; did you mean -o \(text)?" : ""
        throw option.refusal("csv, ndjson or template TEXT\(hint)")
      }
    }
  }
}
