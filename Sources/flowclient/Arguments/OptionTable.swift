/// The options, by their long names.
enum OptionName: String, CaseIterable {
  case server
  case tokenFile = "token-file"
  case output, quiet, verbose, trace, color, help, version
  case count = "number"
  case demand, delay, `for`, timeout, manual, jobs
  case format, strict, check
  case dryRun = "dry-run"
}

/// One option: a row of the table that feeds parsing and `--help`.
struct OptionEntry {
  let name: OptionName
  var short: Character?
  /// What its value stands for in the help; `nil` if it takes none.
  var value: String?
  let summary: String

  /// How it is written, as in `-s, --server ADDRESS`.
  var spelling: String {
    let long = "--\(name.rawValue)" + (value.map { " \($0)" } ?? "")
    return short.map { "-\($0), \(long)" } ?? "    \(long)"
  }
}

enum OptionTable {
  static let all: [OptionEntry] = [
    OptionEntry(
      name: .server,
      short: "s",
      value: "ADDRESS",
      summary: "HOST:PORT or unix:PATH (default 127.0.0.1:3569)"
    ),
    OptionEntry(
      name: .tokenFile,
      value: "FILE",
      summary: "say the token that FILE begins with; or else FLOW_TOKEN of the environment"
    ),
    OptionEntry(
      name: .output,
      short: "o",
      value: "FORM",
      summary: "text, raw (nothing added) or json (an object a line); graph: dot, mermaid"
    ),
    OptionEntry(name: .quiet, short: "q", summary: "no remarks on standard error, only errors"),
    OptionEntry(name: .verbose, short: "v", summary: "more remarks on standard error"),
    OptionEntry(name: .trace, summary: "print every frame on standard error"),
    OptionEntry(name: .color, value: "WHEN", summary: "auto, always or never"),
    OptionEntry(name: .help, short: "h", summary: "print this and exit"),
    OptionEntry(name: .version, short: "V", summary: "print the version and exit"),
    OptionEntry(
      name: .count,
      short: "n",
      value: "N",
      summary: "ask for exactly N values, then end"
    ),
    OptionEntry(
      name: .demand,
      value: "N|max",
      summary: "keep N asked for, refilled at half (default 16384); max is no limit"
    ),
    OptionEntry(name: .delay, value: "TIME", summary: "wait this long after each value: 250ms, 5s"),
    OptionEntry(name: .for, value: "TIME", summary: "end after this long: 5s, 2m"),
    OptionEntry(
      name: .timeout,
      value: "TIME",
      summary: "give up after this long, with exit code 124"
    ),
    OptionEntry(
      name: .manual,
      summary: "ask by hand: space one, digits and Enter that many, a all, q quit"
    ),
    OptionEntry(
      name: .jobs,
      short: "j",
      value: "N",
      summary: "answer up to N calls at a time (default: one a core)"
    ),
    OptionEntry(
      name: .format,
      value: "FORM",
      summary: "text (a report each), github (annotations) or json (an object a line)"
    ),
    OptionEntry(name: .strict, summary: "warnings are errors"),
    OptionEntry(name: .check, summary: "change nothing; exit 1 if there is something to change"),
    OptionEntry(name: .dryRun, summary: "only say what would be done"),
  ]

  /// The options that go with every command.
  static let general: [OptionName] = [
    .server, .tokenFile, .output, .quiet, .verbose, .trace, .color, .help, .version,
  ]

  static func entry(_ name: OptionName) -> OptionEntry? {
    all.first { $0.name == name }
  }

  static func entry(long name: some StringProtocol) -> OptionEntry? {
    all.first { $0.name.rawValue == name }
  }

  static func entry(short letter: Character) -> OptionEntry? {
    all.first { $0.short == letter }
  }
}
