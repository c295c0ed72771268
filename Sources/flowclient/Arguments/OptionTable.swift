/// The options, by their long names.
enum OptionName: String, CaseIterable {
  case server
  case tokenFile = "token-file"
  case output, quiet, verbose, trace, color, help, version
  case count = "number"
  case copies = "count"
  case demand, delay, `for`, timeout, manual, jobs
  case format, strict, check, warn
  case dryRun = "dry-run"
  case clients, subscribers, size, values, rate, slow, subject, flow
  case maxP99 = "max-p99"
  case minRate = "min-rate"
  case json, csv
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
      name: .copies,
      value: "N",
      summary: "send VALUE N times; {n} in it is its number"
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
      summary: "lint: text, github (annotations) or json; send: text or json (of sub -o json)"
    ),
    OptionEntry(
      name: .warn,
      value: "TIME",
      summary: "exit 1 if it answers later than this (1s)"
    ),
    OptionEntry(name: .strict, summary: "warnings are errors"),
    OptionEntry(name: .check, summary: "change nothing; exit 1 if there is something to change"),
    OptionEntry(name: .dryRun, summary: "only say what would be done"),
    OptionEntry(
      name: .clients,
      value: "N",
      summary: "connections that publish (sub: that subscribe); default 1"
    ),
    OptionEntry(
      name: .subscribers,
      value: "N",
      summary: "connections that subscribe: e2e 1, fanout 10 unless told"
    ),
    OptionEntry(name: .size, value: "SIZE", summary: "bytes of a value, 16 to 1MiB (default 128)"),
    OptionEntry(
      name: .values,
      value: "N",
      summary: "end after N values of each publisher (default: after --for 5s)"
    ),
    OptionEntry(
      name: .rate,
      value: "RATE",
      summary: "values a second, 50k/s (bench: of all publishers); else as many as possible"
    ),
    OptionEntry(
      name: .slow,
      value: "N",
      summary: "N subscribers lag: --delay a value (1ms)"
    ),
    OptionEntry(
      name: .subject,
      value: "NAME",
      summary: "a subject that is there, not one of its own"
    ),
    OptionEntry(
      name: .flow,
      value: "FLOW",
      summary: "of its own subject: slowest (default; pub: free) or free"
    ),
    OptionEntry(name: .maxP99, value: "TIME", summary: "exit 1 if 1 % of the values take longer"),
    OptionEntry(
      name: .minRate,
      value: "RATE",
      summary: "exit 1 if fewer come (pub: go) in a second"
    ),
    OptionEntry(name: .json, summary: "the report as one JSON object"),
    OptionEntry(name: .csv, summary: "the report as CSV, a head and a row"),
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
