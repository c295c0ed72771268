import Programs

enum ServerOption: String, CaseIterable {
  case config, listen
  case listenProxy = "listen-proxy"
  case http
  case httpProxy = "http-proxy"
  case httpOrigin = "http-origin"
  case httpShowValues = "http-show-values"
  case portsFile = "ports-file"
  case tokenFile = "token-file"
  case logLevel = "log-level"
  case logFormat = "log-format"
  case threads, memory, nats
  case natsLogin = "nats-login"
  case insecureOpen = "insecure-open"
  case version, help

  /// The row for parsing and `--help`.
  var entry: ProgramOption<ServerOption> {
    switch self {
    case .config:
      entry(
        short: "c",
        value: "FILE",
        summary: "read definitions from FILE, and again on SIGHUP; repeatable"
      )
    case .listen:
      entry(
        value: "ADDRESS",
        summary: "HOST:PORT, [HOST]:PORT or unix:PATH; port 0 is any free port; repeatable"
      )
    case .listenProxy:
      entry(
        value: "ADDRESS",
        summary: "the same for a proxy that sends a PROXY header first, and nobody else; repeatable"
      )
    case .http:
      entry(
        value: "ADDRESS",
        summary: "where the live page and the metrics are; 127.0.0.1:8569 by default, or off"
      )
    case .httpProxy:
      entry(
        value: "ADDRESS",
        summary: "the same for a proxy that sends a PROXY header first, and nobody else; repeatable"
      )
    case .httpOrigin:
      entry(
        value: "ORIGIN",
        summary: "let pages of ORIGIN, as http://HOST:PORT or null, open WebSockets; repeatable"
      )
    case .httpShowValues: entry(summary: "let the live page show values")
    case .portsFile: entry(value: "FILE", summary: "write the actual addresses to FILE")
    case .tokenFile:
      entry(
        value: "FILE",
        summary: "require a token from FILE, which has lines TOKEN RIGHTS [PATTERNS]"
      )
    case .logLevel:
      entry(value: "LEVEL", summary: "what to log: debug, info (default), warning or error")
    case .logFormat:
      entry(
        value: "FORMAT",
        summary: "text, logfmt, json or auto (default): text to a terminal or journald"
      )
    case .threads:
      entry(value: "N", summary: "threads that send output, 1 (default) to 64")
    case .memory:
      entry(
        value: "SIZE",
        summary: "memory limit; default a quarter of the machine's, at most 512MiB"
      )
    case .nats:
      entry(
        value: "HOST:PORT,…",
        summary: "servers of the NATS that holds the subjects with on=nats; demo --nats starts one"
      )
    case .natsLogin:
      entry(
        value: "FILE",
        summary: "log in to NATS as FILE says: token TOKEN, or user NAME PASSWORD"
      )
    case .insecureOpen: entry(summary: "allow non-loopback addresses without tokens")
    case .version: entry(short: "V", summary: "print the version and exit")
    case .help: entry(short: "h", summary: "print this help and exit")
    }
  }

  var isRepeatable: Bool {
    [.config, .listen, .listenProxy, .httpProxy, .httpOrigin].contains(self)
  }

  private func entry(
    short: Character? = nil,
    value: String? = nil,
    summary: String
  ) -> ProgramOption<ServerOption> {
    ProgramOption(name: self, short: short, value: value, summary: summary)
  }

  /// The environment variable that sets the same, if there is one.
  var variable: String? {
    guard entry.value != nil else { return nil }
    let name = rawValue.uppercased().map { $0 == "-" ? "_" : $0 }
    return "FLOWSERVER_\(String(name))"
  }
}

enum ServerHelp {
  static let usages = [
    ("FlowServer [OPTION…]", "serve"),
    ("FlowServer demo [OPTION…]", "serve sample subjects and pipelines"),
    ("FlowServer check FILE…", "check the files and exit"),
    ("FlowServer config [OPTION…]", "print the settings in force"),
  ]

  private static let variables =
    "An option with a value can also be given by the environment variable that is named after it: "
    + "FLOWSERVER_LOG_LEVEL for --log-level. Commas separate the values of a repeatable one."

  static func text() -> String {
    var lines = helpLines(usages).enumerated().map { index, line in
      (index == 0 ? "usage:" : "      ") + line.dropFirst(1)
    }
    lines += ["", "Options:"]
    lines += helpLines(ServerOption.allCases.map { ($0.entry.spelling, $0.entry.summary) })
    lines += [""] + helpParagraph(variables) + [""]
    lines += ["Names of sockets that systemd passes (FileDescriptorName=):"]
    lines += helpLines(PassedSockets.Role.allCases.map { ($0.rawValue, $0.summary) })
    lines += ["", "Exit codes:"]
    lines += helpLines(ServerExit.allCases.map { ("\($0.rawValue)", $0.meaning) })
    return lines.joined(separator: "\n") + "\n"
  }
}
