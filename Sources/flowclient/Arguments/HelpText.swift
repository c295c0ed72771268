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
    lines += helpLines(options(OptionTable.general))
    for verb in VerbTable.all where !verb.options.isEmpty {
      lines += ["", "Options of \(verb.name):"] + helpLines(options(verb.options))
    }
    lines += ["", "Exit codes:"]
    lines += helpLines(ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) })
    lines += ["", "Examples:"] + VerbTable.all.flatMap(\.examples).map { "  \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  static func verb(_ verb: VerbEntry) -> String {
    var lines = ["usage: flowclient [OPTION…] \(verb.name) \(verb.operands)", "", verb.summary]
    if !verb.options.isEmpty { lines += [""] + helpLines(options(verb.options)) }
    lines += ["", "Options of every command:"] + helpLines(options(OptionTable.general))
    lines += ["", "Examples:"] + verb.examples.map { "  \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func options(_ names: [OptionName]) -> [(String, String)] {
    names.compactMap(OptionTable.entry).map { ($0.spelling, $0.summary) }
  }
}
