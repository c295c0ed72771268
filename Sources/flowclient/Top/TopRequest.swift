import FlowWire
import Programs

/// Shows once a second how all names do, and what holds them up: `top [NAME]`.
struct TopRequest: ClientCommand {
  var name: String?
  /// The subscription of the name to watch; nil is all.
  var stream: StreamPlace?
  /// The number of pictures to print; nil is unlimited.
  var count: UInt64?
  var interval = Duration.seconds(1)
  var form = Form.text
  var filter = ""
  var sort = TopSort.verdict
  /// Whether it prints instead of filling the screen.
  var isBatch = false
  /// Whether it shows ASCII characters only.
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
    Self("CLIENT.ID", "a client and its stream, such as 7.1") { StreamPlace($0[...]) }
  }
}

extension OptionType<String> {
  fileprivate static var filter: Self {
    Self("TEXT", "a part of a name") { text in
      1...128 ~= text.utf8.count && text.utf8.allSatisfy { 33...126 ~= $0 } ? text : nil
    }
  }
}

enum TopSort: String, CaseIterable {
  /// By losses, then by verdict.
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
