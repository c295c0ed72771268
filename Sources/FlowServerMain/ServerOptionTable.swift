/// The server's options, by their long names.
enum ServerOption: String, CaseIterable {
  case config, listen
  case portsFile = "ports-file"
  case tokenFile = "token-file"
  case logLevel = "log-level"
  case threads, memory
  case insecureOpen = "insecure-open"
  case version, help

  /// One row of the table that feeds parsing, the environment and `--help`.
  struct Entry {
    var short: Character?
    /// What its value stands for; `nil` if it takes none.
    var value: String?
    let summary: String
  }

  var entry: Entry {
    switch self {
    case .config:
      Entry(
        short: "c",
        value: "FILE",
        summary: "read definitions from FILE, again at SIGHUP; repeatable"
      )
    case .listen:
      Entry(
        value: "ADDRESS",
        summary: "HOST:PORT, [HOST]:PORT or unix:PATH; port 0 is any; repeatable"
      )
    case .portsFile: Entry(value: "FILE", summary: "write the real addresses to FILE")
    case .tokenFile:
      Entry(
        value: "FILE",
        summary: "take only clients with a token of FILE: TOKEN RIGHTS [PATTERNS]"
      )
    case .logLevel: Entry(value: "LEVEL", summary: "what to tell: error, info (default) or debug")
    case .threads:
      Entry(value: "N", summary: "threads that may send at one time, 1 (default) to 64")
    case .memory:
      Entry(
        value: "SIZE",
        summary: "what it may hold: a quarter of the machine's, at most 512MiB (default)"
      )
    case .insecureOpen: Entry(summary: "allow what other machines can reach, without tokens")
    case .version: Entry(short: "V", summary: "print the version and exit")
    case .help: Entry(short: "h", summary: "print this and exit")
    }
  }

  /// The environment variable that says the same, if one does.
  var variable: String? {
    guard entry.value != nil else { return nil }
    let name = rawValue.uppercased().map { $0 == "-" ? "_" : $0 }
    return "FLOWSERVER_\(String(name))"
  }
}

enum ServerHelp {
  static func text() -> String {
    var lines = [
      "usage: FlowServer [OPTION…]             serve",
      "       FlowServer demo [OPTION…]        serve sample subjects and pipelines",
      "       FlowServer check FILE…           only say whether the files are right",
      "", "Options:",
    ]
    lines += table(
      ServerOption.allCases.map { option in
        let short = option.entry.short.map { "-\($0), " } ?? "    "
        let value = option.entry.value.map { " \($0)" } ?? ""
        return ("\(short)--\(option.rawValue)\(value)", option.entry.summary)
      }
    )
    lines += ["", "In the environment, where no flag says otherwise:"]
    lines += table(
      ServerOption.allCases.compactMap { option in
        option.variable.map { ($0, "as --\(option.rawValue)") }
      }
    )
    lines += ["  Repeatable ones take several, separated by commas.", "", "Exit codes:"]
    lines += table(ServerExit.allCases.map { ("\($0.rawValue)", $0.meaning) })
    return lines.joined(separator: "\n") + "\n"
  }

  private static func table(_ rows: [(String, String)]) -> [String] {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { left, right in
      "  \(left)\(String(repeating: " ", count: width - left.count))  \(right)"
    }
  }
}
