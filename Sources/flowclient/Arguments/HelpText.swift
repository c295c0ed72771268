import FlowLanguage
import FlowWire
import Programs

/// The output of `--help` and `help`, made from the tables.
enum HelpText {
  static let usage = "usage: flowclient [OPTION…] [COMMAND …]"

  /// The page of a command or a `ClientTopic`, or the one of all commands.
  static func page(_ name: String?, asJSON: Bool) -> String {
    if let topic = name.flatMap(ClientTopic.init(rawValue:)) {
      return asJSON ? topic.objects : self.topic(topic)
    }
    guard let verb = name.flatMap(VerbTable.entry) else {
      return asJSON ? objects(VerbTable.all) : all()
    }
    return asJSON ? objects([verb]) : self.verb(verb)
  }

  /// The commands and the options of all of them, within two screens; the rest is on pages of its own.
  static func all() -> String {
    var lines = [usage]
    let width = VerbTable.all.map(\.name.count).max() ?? 0
    for group in VerbEntry.Group.allCases {
      lines += ["", "\(group.rawValue):"]
      lines += helpLines(
        VerbTable.all.filter { $0.group == group }.map { verb in
          (DisplayText.pad(verb.name, to: width), verb.summary)
        }
      )
    }
    lines += ["", "Options of every command:"]
    lines += helpLines(rows(OptionTable.generalEntries))
    lines += ["", "More:"] + helpLines(pages) + [""] + helpParagraph(withoutCommand)
    return lines.joined(separator: "\n") + "\n"
  }

  /// Pages with more about a topic.
  private static let pages = [
    ("help COMMAND", "the options of a command, and examples; also COMMAND --help"),
    ("help environment", "the variables that flowclient reads"),
    ("help exit-codes", "what its exit codes mean"),
    ("help WORD", "asks the server about it, such as backpressure or flatMap"),
  ]

  private static let withoutCommand =
    "Without a command, lines are edited at a terminal (:help lists its keys), or read from a pipe, "
    + "and sent as commands of the protocol. HELP lists those; a single one can be given as it is: "
    + "flowclient take orders 3."

  /// The output of `help TOPIC`.
  static func topic(_ topic: ClientTopic) -> String {
    (["\(topic.title):"] + helpLines(topic.rows)).joined(separator: "\n") + "\n"
  }

  static func verb(_ verb: VerbEntry) -> String {
    var lines = ["usage: flowclient [OPTION…] \(verb.usage)", ""] + helpParagraph(verb.summary)
    if !verb.remark.isEmpty { lines += [""] + helpParagraph(verb.remark) }
    if !verb.options.isEmpty { lines += [""] + helpLines(rows(verb.options)) }
    lines += ["", "Options of every command:"] + helpLines(rows(verb.generalOptions))
    lines += ["", "Examples:"] + verb.examples.map { "  \($0)" }
    if let name = verb.ofProtocol {
      lines += ["", "About \(name) of the protocol: echo HELP \(name) | flowclient"]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func rows(_ options: [OptionEntry]) -> [(String, String)] {
    options.map { ($0.spelling, $0.summary) }
  }

  /// The commands as objects of JSON, a line each.
  private static func objects(_ verbs: [VerbEntry]) -> String {
    verbs.map { "\(object($0))\n" }.joined()
  }

  private static func object(_ verb: VerbEntry) -> String {
    let options = (verb.options + verb.generalOptions).map { option in
      var members = [("name", option.name.rawValue)]
      if let short = option.short { members.append(("short", String(short))) }
      if let value = option.value { members.append(("value", value)) }
      return JSONLine.texts(members + [("summary", option.summary)])
    }
    let texts = [
      ("command", verb.name), ("operands", verb.operands), ("summary", verb.summary),
      ("group", verb.group.rawValue),
    ]
    return JSONLine.object(
      texts.map { ($0, JSONText.string($1)) } + [
        ("options", "[\(options.joined(separator: ","))]"),
        ("examples", "[\(verb.examples.map(JSONText.string).joined(separator: ","))]"),
      ]
    )
  }
}

extension VerbEntry {
  /// The command of the protocol that has the same name; nil if none has.
  var ofProtocol: String? {
    let word = name.uppercased()
    return CommandTable.all.contains { $0.name == word } ? word : nil
  }
}
