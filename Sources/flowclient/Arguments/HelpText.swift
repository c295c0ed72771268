import FlowLanguage
import FlowWire
import Programs

/// What `--help` and `help` print, made from the tables.
enum HelpText {
  static let usage = "usage: flowclient [OPTION…] [COMMAND …]"

  static func all() -> String {
    var lines = [usage, "", "Commands:"]
    lines += helpLines(VerbTable.all.map { ($0.line, $0.summary) })
    lines += ["  other commands of the protocol are sent as they are: flowclient watch orders"]
    lines += ["  without a command, lines are edited at a terminal (:help lists its keys),"]
    lines += ["  or read from a pipe and sent as commands"]
    lines += ["  about the protocol and its topics: echo HELP | flowclient", "", "Options:"]
    lines += helpLines(rows(OptionTable.general.compactMap(OptionTable.entry)))
    for verb in VerbTable.all where !verb.options.isEmpty {
      lines += ["", "Options of \(verb.name):"] + helpLines(rows(verb.describedOptions))
    }
    lines += ["", "Environment variables:"]
    lines += helpLines(ClientVariable.allCases.map { ($0.rawValue, $0.meaning) })
    lines += ["", "Exit codes:"]
    lines += helpLines(ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) })
    lines += ["", "Examples:"] + VerbTable.all.flatMap(\.examples).map { "  \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  static func verb(_ verb: VerbEntry) -> String {
    var lines = ["usage: flowclient [OPTION…] \(verb.line)", ""] + helpParagraph(verb.summary)
    if !verb.remark.isEmpty { lines += [""] + helpParagraph(verb.remark) }
    if !verb.options.isEmpty { lines += [""] + helpLines(rows(verb.describedOptions)) }
    lines += ["", "Options of every command:"] + helpLines(rows(verb.describedGeneralOptions))
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

extension VerbEntry {
  /// The command with what follows it.
  var line: String { operands.isEmpty ? name : "\(name) \(operands)" }

  /// The command of the protocol that has the same name; nil if none has.
  var ofProtocol: String? {
    let word = name.uppercased()
    return CommandTable.all.contains { $0.name == word } ? word : nil
  }
}
