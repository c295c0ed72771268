import FlowLanguage
import Programs

/// What `--help` prints, made from the tables.
enum HelpText {
  static let usage = "usage: flowclient [OPTION…] [COMMAND …]"

  static func all() -> String {
    var lines = [usage, "", "Commands:"]
    lines += helpLines(VerbTable.all.map { ("\($0.name) \($0.operands)", $0.summary) })
    lines += ["  other commands of the protocol are sent as they are: flowclient show orders"]
    lines += [
      "  without a command, the lines of standard input are sent as commands", "", "Options:",
    ]
    lines += helpLines(rows(OptionTable.general.compactMap(OptionTable.entry)))
    for verb in VerbTable.all where !verb.options.isEmpty {
      lines += ["", "Options of \(verb.name):"] + helpLines(rows(verb.describedOptions))
    }
    lines += ["", "Exit codes:"]
    lines += helpLines(ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) })
    lines += ["", "Examples:"] + VerbTable.all.flatMap(\.examples).map { "  \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  static func verb(_ verb: VerbEntry) -> String {
    var lines = ["usage: flowclient [OPTION…] \(verb.name) \(verb.operands)", "", verb.summary]
    if !verb.options.isEmpty { lines += [""] + helpLines(rows(verb.describedOptions)) }
    lines += ["", "Options of every command:"] + helpLines(rows(verb.describedGeneralOptions))
    lines += ["", "Examples:"] + verb.examples.map { "  \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func rows(_ options: [OptionEntry]) -> [(String, String)] {
    options.map { ($0.spelling, $0.summary) }
  }

  /// The commands as objects of JSON, a line each.
  static func objects(_ verbs: [VerbEntry]) -> String {
    verbs.map { "\(object($0))\n" }.joined()
  }

  private static func object(_ verb: VerbEntry) -> String {
    let options = (verb.describedOptions + verb.describedGeneralOptions).map { option in
      var members = [("name", option.name.rawValue)]
      if let short = option.short { members.append(("short", String(short))) }
      if let value = option.value { members.append(("value", value)) }
      return JSONLine.texts(members + [("summary", option.summary)])
    }
    let texts = [
      ("command", verb.name), ("operands", verb.operands), ("summary", verb.summary),
    ]
    return JSONLine.object(
      texts.map { ($0, JSONText.string($1)) } + [
        ("options", "[\(options.joined(separator: ","))]"),
        ("examples", "[\(verb.examples.map(JSONText.string).joined(separator: ","))]"),
      ]
    )
  }
}
