import Programs

/// The options, by their long names.
enum OptionName: String, CaseIterable {
  case server
  case tokenFile = "token-file"
  case output, quiet, verbose, trace, color, help, version
  case count = "number"
  case copies = "count"
  case durable
  case demand, delay, `for`, timeout, manual, jobs
  case format, strict, check, warn
  case file, chunks, end
  case failOnMiss = "fail-on-miss"
  case null
  case dryRun = "dry-run"
  case force
  case clients, subscribers, size, values, rate, slow, subject, flow
  case maxP99 = "max-p99"
  case minRate = "min-rate"
  case json, csv
  case interval, batch, filter, sort, stream, ascii, save
}

typealias OptionEntry = ProgramOption<OptionName>

enum OptionTable {
  static let all: [OptionEntry] = [
    OptionEntry(
      name: .server,
      short: "s",
      value: "ADDRESS",
      summary: "HOST, HOST:PORT or unix:PATH; default 127.0.0.1:3569"
    ),
    OptionEntry(
      name: .tokenFile,
      value: "FILE",
      summary: "use the first token in FILE; default: FLOW_TOKEN"
    ),
    OptionEntry(
      name: .output,
      short: "o",
      value: "FORM",
      summary: "text, json, or another one that COMMAND --help names"
    ),
    OptionEntry(name: .quiet, short: "q", summary: "print only errors on standard error"),
    OptionEntry(name: .verbose, short: "v", summary: "print more on standard error"),
    OptionEntry(name: .trace, summary: "print every frame on standard error"),
    OptionEntry(name: .color, value: "WHEN", summary: "auto, always or never"),
    OptionEntry(name: .help, short: "h", summary: "print this help and exit"),
    OptionEntry(name: .version, short: "V", summary: "print the version and exit"),
    OptionEntry(
      name: .count,
      short: "n",
      value: "N",
      summary: "take exactly N, then exit"
    ),
    OptionEntry(
      name: .copies,
      value: "N",
      summary: "send VALUE N times; {n} in it is replaced by its number"
    ),
    OptionEntry(
      name: .demand,
      value: "N|max",
      summary: "keep N values requested; max: no limit"
    ),
    OptionEntry(
      name: .durable,
      value: "NAME",
      summary: "go on where NAME was, of a subject on=nats; what is printed is acknowledged"
    ),
    OptionEntry(name: .delay, value: "TIME", summary: "wait this long after each value: 250ms, 5s"),
    OptionEntry(name: .for, value: "TIME", summary: "stop after this long: 5s, 2m"),
    OptionEntry(
      name: .timeout,
      value: "TIME",
      summary: "give up after this long, with exit code 124"
    ),
    OptionEntry(
      name: .manual,
      summary: "request by hand: space 1, digits and Enter that many, a all, q quit"
    ),
    OptionEntry(
      name: .jobs,
      short: "j",
      value: "N",
      summary: "answer up to N calls at a time (default: one per core)"
    ),
    OptionEntry(
      name: .format,
      value: "FORM",
      summary: "the form of what is printed or read"
    ),
    OptionEntry(
      name: .file,
      value: "FILE",
      summary: "send the content of FILE as one value (- is standard input); may be repeated"
    ),
    OptionEntry(
      name: .chunks,
      value: "SIZE",
      summary: "cut standard input, or each FILE, into values of SIZE bytes: 4096, 64k"
    ),
    OptionEntry(
      name: .null,
      short: "0",
      summary: "a NUL byte ends each value, as in find -print0"
    ),
    OptionEntry(name: .end, summary: "complete the subject behind the last value, as DONE does"),
    OptionEntry(
      name: .failOnMiss,
      summary: "exit 1 if a subscriber missed a value, or nobody was there for one; "
        + "a subject in NATS stores values and tells of neither"
    ),
    OptionEntry(
      name: .warn,
      value: "TIME",
      summary: "exit 1 if the answer takes longer (default 1s)"
    ),
    OptionEntry(name: .strict, summary: "treat warnings as errors"),
    OptionEntry(name: .check, summary: "change nothing; exit 1 if a file would change"),
    OptionEntry(name: .dryRun, summary: "only print what would be done"),
    OptionEntry(name: .force, summary: "also delete values that are stored and not read"),
    OptionEntry(
      name: .clients,
      value: "N",
      summary: "connections that publish (sub: subscribe); default 1"
    ),
    OptionEntry(
      name: .subscribers,
      value: "N",
      summary: "connections that subscribe; default 1 for e2e, 10 for fanout"
    ),
    OptionEntry(name: .size, value: "SIZE", summary: "size of a value, 16 to 1MiB (default 128)"),
    OptionEntry(
      name: .values,
      value: "N",
      summary: "stop after N values from each publisher (default: --for 5s)"
    ),
    OptionEntry(
      name: .rate,
      value: "RATE",
      summary: "values per second, 50k/s; default: no limit"
    ),
    OptionEntry(
      name: .slow,
      value: "N",
      summary: "N subscribers are slow: --delay per value (default 1ms)"
    ),
    OptionEntry(
      name: .subject,
      value: "NAME",
      summary: "use an existing subject instead of creating one"
    ),
    OptionEntry(
      name: .flow,
      value: "FLOW",
      summary: "flow of the created subject: slowest (default; pub: free) or free"
    ),
    OptionEntry(
      name: .maxP99,
      value: "TIME",
      summary: "exit 1 if 1 % of the values take longer than this"
    ),
    OptionEntry(
      name: .minRate,
      value: "RATE",
      summary: "exit 1 if fewer values arrive (pub: are sent) per second"
    ),
    OptionEntry(name: .json, summary: "print the report as one JSON object"),
    OptionEntry(name: .csv, summary: "print the report as CSV, a header and a row"),
    OptionEntry(
      name: .interval,
      short: "d",
      value: "TIME",
      summary: "how often to look, 100ms to 1h (default 1s)"
    ),
    OptionEntry(name: .batch, short: "b", summary: "print instead of filling the screen"),
    OptionEntry(name: .filter, value: "TEXT", summary: "only names that contain TEXT"),
    OptionEntry(
      name: .sort,
      value: "KEY",
      summary: "verdict (default), name, in, out, drops, lost or subscriptions"
    ),
    OptionEntry(
      name: .stream,
      value: "CLIENT.ID",
      summary: "show NAME as this one of its subscriptions runs it, as in list streams"
    ),
    OptionEntry(name: .ascii, summary: "show no characters beyond ASCII"),
    OptionEntry(
      name: .save,
      value: "FILE",
      summary: "write a .flow file with a test of what was seen, which passes"
    ),
  ]

  /// The options that go with every command.
  static let general: [OptionName] = [
    .server, .tokenFile, .output, .quiet, .verbose, .trace, .color, .help, .version,
  ]

  static func entry(_ name: OptionName) -> OptionEntry? {
    all.first { $0.name == name }
  }
}
