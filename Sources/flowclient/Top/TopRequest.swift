import FlowWire
import Programs

/// The settings of `top [NAME]`.
struct TopRequest: ClientCommand {
  /// The name to look at closely.
  var name: String?
  /// The one subscription of it to look at; all of them if nil.
  var stream: StreamPlace?
  /// The number of pictures to print; nil is no limit.
  var count: UInt64?
  var interval = Duration.seconds(1)
  var form = Form.text
  var filter = ""
  var sort = TopSort.verdict
  /// Whether it prints instead of filling the screen.
  var isBatch = false
  /// Whether no other characters than those of ASCII are shown.
  var isASCII = false

  enum Form: String, CaseIterable {
    case text, json, csv
  }

  static let entry = VerbEntry(
    TopRequest(),
    usage: "top [NAME]",
    group: .look,
    summary: "show live who holds up which name, or the stages of NAME",
    operand: .name,
    options: [
      .flag("batch", short: "b", "print instead of filling the screen", \.isBatch),
      .count("print N pictures, then exit", \.count),
      .value(
        "interval",
        short: "d",
        .interval,
        "how often to look, 100ms to 1h (default 1s)",
        \.interval
      ),
      .value("filter", .filter, "only names that contain TEXT", \.filter),
      .value(
        "sort",
        .choice("KEY"),
        "verdict (default), name, in, out, drops, lost or subscriptions",
        \.sort
      ),
      .value(
        "stream",
        .stream,
        "show NAME as this one of its subscriptions runs it, as in list streams",
        \.stream
      ),
      .ascii(\.isASCII),
    ],
    forms: Form.allCases.map(\.rawValue),
    examples: [
      "flowclient top", "flowclient top slow", "flowclient top -b -n 1 -o json",
      "flowclient top slow -n 60 -d 10s -o csv", "flowclient top slow --stream 7.1",
    ]
  )

  mutating func read(_ words: CommandWords) throws(UsageError) {
    name = try words.optionalName()
    if stream != nil, name == nil {
      throw UsageError(
        "--stream needs the NAME that it runs",
        advice: "as in: flowclient top slow --stream 7.1"
      )
    }
    form = words.output.flatMap(Form.init(rawValue:)) ?? form
  }

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    try await Topping(request: self, session: session).run()
  }
}

extension OptionType<Duration> {
  fileprivate static var interval: Self {
    Self("TIME") { option throws(UsageError) in
      let time = try OptionType.time.read(option)
      guard .milliseconds(100) ... .seconds(3600) ~= time else {
        throw option.refusal("a time from 100ms to 1h")
      }
      return time
    }
  }
}

extension OptionType<StreamPlace> {
  fileprivate static var stream: Self {
    Self("CLIENT.ID") { option throws(UsageError) in
      guard let place = StreamPlace(option.value[...]) else {
        throw option.refusal("a client and its stream, such as 7.1")
      }
      return place
    }
  }
}

extension OptionType<String> {
  fileprivate static var filter: Self {
    Self("TEXT") { option throws(UsageError) in
      let text = option.value.utf8
      guard (1...128).contains(text.count), text.allSatisfy({ 33...126 ~= $0 }) else {
        throw option.refusal("a part of a name")
      }
      return option.value
    }
  }
}

/// The order of names.
enum TopSort: String, CaseIterable {
  /// Names that lose values first, then by verdict.
  case verdict
  case name, `in`, out, drops, lost, subscriptions

  var next: TopSort {
    let all = Self.allCases
    let place = (all.firstIndex(of: self) ?? 0) + 1
    return all[place % all.count]
  }

  /// Its name in the line of keys.
  var title: String {
    switch self {
    case .verdict: "verdict"
    case .name: "name"
    case .in: "in/s"
    case .out: "out/s"
    case .drops: "drops"
    case .lost: "drops/s"
    case .subscriptions: "subscriptions"
    }
  }
}
