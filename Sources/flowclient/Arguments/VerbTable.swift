import FlowWire
import Programs

/// One command: a row of the table that feeds parsing, completion and `--help`.
struct VerbEntry {
  /// What stands first behind the name, for completion.
  enum Operand: String {
    /// Names that the server knows.
    case subject, source, name
    case nothing
  }

  /// The heading in `--help` that it stands below.
  enum Group: String, CaseIterable {
    case values = "Send and read values"
    case look = "See what is there, and who holds up whom"
    case define = "Create, change and end what the server has"
    case files = "Work with .flow files"
    case server = "Test a server"
    case help = "Help"
  }

  let name: String
  let group: Group
  /// What follows the name.
  let operands: String
  let summary: String
  /// A paragraph that only its own help shows.
  var remark = ""
  var operand = Operand.nothing
  /// The words that may stand there.
  var words: [String] = []
  /// The options that go with it, besides the general ones.
  var options: [OptionName] = []
  /// What some options mean here, where that is not what they mean elsewhere.
  var notes: [OptionName: String] = [:]
  /// What `-o` may be.
  var forms = ["text", "json"]
  /// What `--format` may be.
  var formats: [String] = []
  /// Lines that work as they stand, in a shell.
  let examples: [String]

  fileprivate static let rawRemark =
    "-o raw prints the bytes of the values and nothing between them: line ends only where a value has them. Lines that send "
    + "has read are values without their line ends; print those as text, which puts a line end behind each value. The "
    + "pieces of send --chunks, printed with -o raw, are the file again."

  /// What is said of `--format`, and what it may be, where values are printed.
  fileprivate static let valueForms = "csv, ndjson, or template TEXT with {member} in it"
  fileprivate static let valueFormats = ["csv", "ndjson", "template"]

  /// Its options with what they mean here.
  var describedOptions: [OptionEntry] { options.compactMap(described) }

  /// The general options with what they mean here.
  var describedGeneralOptions: [OptionEntry] {
    OptionTable.general.compactMap { name in
      guard name == .output else { return described(name) }
      guard let entry = OptionTable.entry(name) else { return nil }
      let rest = forms.dropLast().joined(separator: ", ")
      let isRecords = forms.contains("json") && !["top", "bench"].contains(self.name)
      return entry.with("\(rest) or \(forms.last ?? "")" + (isRecords ? " (an object a line)" : ""))
    }
  }

  private func described(_ name: OptionName) -> OptionEntry? {
    let entry = OptionTable.entry(name)
    return notes[name].flatMap { note in entry.map { $0.with(note) } } ?? entry
  }
}

enum VerbTable {
  static let all: [VerbEntry] = [
    VerbEntry(
      name: "send",
      group: .values,
      operands: "NAME [VALUE…]",
      summary: "publish values; without VALUE, the lines of standard input",
      operand: .subject,
      options: [
        .file, .chunks, .format, .null, .end, .failOnMiss, .copies, .rate, .timeout,
      ],
      notes: [
        .format: "text (a line a value), raw, csv, ndjson or json",
        .rate: "values per second, 50k/s; default: no limit",
      ],
      formats: SendRequest.Form.allCases.map(\.rawValue),
      examples: [
        "flowclient send orders '{\"id\":1}'", "seq 100000 | flowclient send orders",
        "flowclient send orders --count 100 --rate 50/s '{\"id\":{n}}'",
        "zcat saved.gz | flowclient send copies --format json",
        "cat orders.csv | flowclient send orders --format csv",
        "flowclient send pictures --file cat.jpg", "flowclient send log --end < access.log",
        "flowclient send alarms --fail-on-miss fire",
      ]
    ),
    VerbEntry(
      name: "sub",
      group: .values,
      operands: "EXPR",
      summary: "print the values of a subject, a pipeline or an expression",
      remark: VerbEntry.rawRemark,
      operand: .source,
      options: [.count, .demand, .format, .null, .durable, .delay, .for, .timeout, .manual],
      notes: [
        .count: "ask for exactly N values, then exit",
        .format: VerbEntry.valueForms,
        .demand: "keep N values requested; max: no limit (default 16384, more from afar)",
      ],
      forms: ["text", "raw", "json"],
      formats: VerbEntry.valueFormats,
      examples: [
        "flowclient sub orders", "flowclient sub -n 3 'orders.filter { $0.price > 100 }'",
        "flowclient sub slow --manual", "flowclient sub orders --durable billing",
        "flowclient sub orders --format template '{id}: {price}'",
      ]
    ),
    VerbEntry(
      name: "tap",
      group: .values,
      operands: "NAME[.STAGE]",
      summary: "print the values that pass a name, without affecting demand",
      remark: VerbEntry.rawRemark,
      operand: .name,
      options: [.count, .format, .null, .for],
      notes: [
        .count: "ask for exactly N values, then exit", .format: VerbEntry.valueForms,
      ],
      forms: ["text", "raw", "json"],
      formats: VerbEntry.valueFormats,
      examples: [
        "flowclient tap orders", "flowclient tap -n 5 totals", "flowclient tap totals.0 --for 10s",
      ]
    ),
    VerbEntry(
      name: "marble",
      group: .look,
      operands: "NAME",
      summary: "draw what goes in and out as it happens; q quits",
      operand: .name,
      options: [.ascii, .save, .for],
      examples: [
        "flowclient marble totals", "flowclient marble totals --for 10s --save totals.flow",
      ]
    ),
    VerbEntry(
      name: "serve",
      group: .values,
      operands: "NAME -- COMMAND …",
      summary: "answer calls with what COMMAND prints; {} in it is the value",
      remark:
        "A call ends when COMMAND has ended and its output and standard error are closed. A process that COMMAND leaves "
        + "running keeps the call open as long as it has one of them open; start it with >/dev/null 2>&1 if it is to "
        + "outlive the call. A call that is cancelled ends all processes of COMMAND: SIGTERM, after 5 s SIGKILL.",
      options: [.jobs],
      examples: [
        "flowclient serve upper -- tr a-z A-Z",
        "flowclient serve resize --jobs 3 -- convert {} -resize 50% {}.small",
      ]
    ),
    VerbEntry(
      name: "list",
      group: .look,
      operands: "[KIND] [PATTERN]",
      summary: "list subjects, pipelines, runs, services, streams or clients",
      words: ListKind.allCases.map(\.rawValue),
      examples: [
        "flowclient list", "flowclient list subjects", "flowclient list 'sensors/**'",
      ]
    ),
    VerbEntry(
      name: "show",
      group: .look,
      operands: "NAME",
      summary: "show definition, settings and current figures of a name",
      operand: .name,
      examples: ["flowclient show orders"]
    ),
    VerbEntry(
      name: "explain",
      group: .look,
      operands: "EXPR|FILE",
      summary: "show what each stage requests, may hold and does when full",
      operand: .name,
      examples: [
        "flowclient explain 'orders.filter { $0.price > 100 }'", "flowclient explain shop.flow",
      ]
    ),
    VerbEntry(
      name: "stats",
      group: .look,
      operands: "[NAME|PATTERN]",
      summary: "print counters of the server, or of names",
      remark:
        "On a terminal of less than about 100 columns only names and numbers have room; flowclient help "
        + "metrics says what each is. -o prometheus prints the text that Prometheus reads, as /metrics has it.",
      operand: .name,
      forms: StatsRequest.Form.allCases.map(\.rawValue),
      examples: [
        "flowclient stats", "flowclient stats orders",
        "flowclient stats 'sensors/*' -o prometheus",
      ]
    ),
    VerbEntry(
      name: "top",
      group: .look,
      operands: "[NAME]",
      summary: "show live who holds up which name, or the stages of NAME",
      operand: .name,
      options: [.batch, .count, .interval, .filter, .sort, .stream, .ascii],
      notes: [.count: "print N pictures, then exit"],
      forms: ["text", "json", "csv"],
      examples: [
        "flowclient top", "flowclient top slow", "flowclient top -b -n 1 -o json",
        "flowclient top slow -n 60 -d 10s -o csv", "flowclient top slow --stream 7.1",
      ]
    ),
    VerbEntry(
      name: "help",
      group: .help,
      operands: "[WORD]",
      summary: "print help on a command, a topic, or a word of the server",
      examples: [
        "flowclient help", "flowclient help sub", "flowclient help exit-codes",
        "flowclient help backpressure", "flowclient help flatMap",
      ]
    ),
    VerbEntry(
      name: "subject",
      group: .define,
      operands: "NAME [SETTING…]",
      summary: "create a subject",
      examples: ["flowclient subject orders flow=slowest"]
    ),
    VerbEntry(
      name: "pipeline",
      group: .define,
      operands: "NAME = EXPR",
      summary: "define a pipeline",
      examples: ["flowclient pipeline 'even = orders.filter { $0 % 2 == 0 }'"]
    ),
    VerbEntry(
      name: "run",
      group: .define,
      operands: "NAME [SETTING] = EXPR",
      summary: "run a pipeline into a subject, without a client",
      examples: [
        "flowclient run 'totals = orders.scan(0) { $0 + $1 }.assign(to: revenue)'",
        "flowclient run 'work restart=1s = taps.map { sqrt($0) }.assign(to: roots)'",
      ]
    ),
    VerbEntry(
      name: "delete",
      group: .define,
      operands: "NAME",
      summary: "delete a subject or a pipeline, or stop a run",
      operand: .name,
      examples: ["flowclient delete even"]
    ),
    VerbEntry(
      name: "kill",
      group: .define,
      operands: "WHAT …",
      summary: "end a client, one of its streams, or everything open on a name",
      examples: [
        "flowclient kill client 7", "flowclient kill stream 7 1", "flowclient kill name orders",
      ]
    ),
    VerbEntry(
      name: "ping",
      group: .server,
      operands: "[TEXT]",
      summary: "test whether the server answers",
      examples: ["flowclient ping"]
    ),
    VerbEntry(
      name: "check",
      group: .server,
      operands: "[NAME]",
      summary: "check the server, or NAME as well; exit 0 to 3, as for Nagios",
      operand: .name,
      options: [.warn, .timeout],
      notes: [.timeout: "treat a slower answer as no answer (default 5s)"],
      examples: ["flowclient check", "flowclient check totals --warn 50ms --timeout 2s"]
    ),
    VerbEntry(
      name: "lint",
      group: .files,
      operands: "FILE…",
      summary: "report errors and probable mistakes in files",
      options: [.format, .strict],
      notes: [.format: "text, github (annotations) or json"],
      formats: LintRequest.Form.allCases.map(\.rawValue),
      examples: ["flowclient lint shop.flow", "flowclient lint --strict --format github *.flow"]
    ),
    VerbEntry(
      name: "test",
      group: .files,
      operands: "FILE…",
      summary: "run the tests in files, in virtual time",
      options: [.timeout],
      notes: [.timeout: "a test that takes longer has failed (default 1m)"],
      examples: ["flowclient test shop.flow", "flowclient test --timeout 5s shop.flow"]
    ),
    VerbEntry(
      name: "fmt",
      group: .files,
      operands: "FILE…",
      summary: "format files; - is standard input and output",
      options: [.check],
      examples: ["flowclient fmt shop.flow", "flowclient fmt --check *.flow"]
    ),
    VerbEntry(
      name: "graph",
      group: .files,
      operands: "FILE|EXPR",
      summary: "draw what flows where, as text, -o dot or -o mermaid",
      forms: ["text", "dot", "mermaid", "json"],
      examples: ["flowclient graph shop.flow", "flowclient graph -o dot shop.flow"]
    ),
    VerbEntry(
      name: "apply",
      group: .files,
      operands: "FILE",
      summary: "make the server match a file",
      remark:
        "Prints what is created and what is changed, that is deleted and created again; with -v also what is "
        + "unchanged. What the server has and the file does not stays as it is: apply removes nothing.",
      options: [.dryRun, .force],
      examples: ["flowclient apply --dry-run shop.flow", "flowclient apply shop.flow"]
    ),
    VerbEntry(
      name: "completion",
      group: .help,
      operands: "SHELL",
      summary: "print a completion script for bash, zsh or fish",
      words: Completion.allCases.map(\.rawValue),
      examples: ["flowclient completion bash"]
    ),
    VerbEntry(
      name: "version",
      group: .help,
      operands: "",
      summary: "print the version; ping -v shows that of the server",
      examples: ["flowclient version"]
    ),
    VerbEntry(
      name: "bench",
      group: .server,
      operands: "FORM",
      summary: "run a load test; FORM is pub, sub, e2e or fanout",
      words: BenchRequest.Form.allCases.map(\.rawValue),
      options: [
        .clients, .subscribers, .size, .values, .for, .rate, .demand, .slow, .delay, .subject,
        .flow, .timeout, .maxP99, .minRate, .json, .csv,
      ],
      notes: [
        .rate: "values per second of all publishers, 50k/s; default: no limit",
        .demand: "keep N values requested; max: no limit (default 16384)",
      ],
      forms: ["text", "json", "csv"],
      examples: [
        "flowclient bench e2e --for 10s", "flowclient bench fanout --subscribers 1000 --rate 500/s",
        "flowclient bench e2e --clients 50 --rate 20k/s --max-p99 5ms --min-rate 19k/s",
        "flowclient bench sub --subject load --clients 100 --json",
      ]
    ),
  ]

  static func entry(_ word: String) -> VerbEntry? {
    all.first { $0.name == word.lowercased() }
  }
}
