/// What `--help` prints, made from the tables.
enum HelpText {
  static let usage = "usage: flowclient [OPTION…] [COMMAND …]"

  static func all() -> String {
    var lines = [usage, "", "Commands:"]
    lines += table(VerbTable.all.map { ("\($0.name) \($0.operands)", $0.summary) })
    lines += ["  any other command of the protocol is sent as a line: flowclient show orders"]
    lines += ["  no command: lines from standard input are commands", "", "Options:"]
    lines += table(options(OptionTable.general))
    for verb in VerbTable.all where !verb.options.isEmpty {
      lines += ["", "Options of \(verb.name):"] + table(options(verb.options))
    }
    lines += ["", "Exit codes:"]
    lines += table(ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) })
    lines += ["", "Examples:"] + VerbTable.all.flatMap(\.examples).map { "  \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  static func verb(_ verb: VerbEntry) -> String {
    var lines = ["usage: flowclient [OPTION…] \(verb.name) \(verb.operands)", "", verb.summary]
    if !verb.options.isEmpty { lines += [""] + table(options(verb.options)) }
    lines += ["", "Options of every command:"] + table(options(OptionTable.general))
    lines += ["", "Examples:"] + verb.examples.map { "  \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func options(_ names: [OptionName]) -> [(String, String)] {
    names.compactMap(OptionTable.entry).map { ($0.spelling, $0.summary) }
  }

  private static func table(_ rows: [(String, String)]) -> [String] {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { left, right in
      "  \(left)\(String(repeating: " ", count: width - left.count))  \(right)"
    }
  }
}
