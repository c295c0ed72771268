import FlowWire
import Programs

/// A load test, `bench FORM`: its options and the request made of them.
struct BenchCommand: ClientCommand {
  var request = BenchRequest(form: .e2e)
  var clients: UInt64?
  var subscribers: UInt64?
  var values: UInt64?
  var length: Duration?
  var window: DemandPlan.Window?
  var slow: UInt64?
  var delay: Duration?
  var flow: SubjectSettings.Flow?
  var isJSON = false
  var isCSV = false

  static let entry = VerbEntry(
    BenchCommand(),
    usage: "bench FORM",
    group: .server,
    summary: "run a load test; FORM is pub, sub, e2e or fanout",
    words: BenchRequest.Form.allCases.map(\.rawValue),
    options: options,
    forms: BenchRequest.Output.allCases.map(\.rawValue),
    examples: [
      "flowclient bench e2e --for 10s", "flowclient bench fanout --subscribers 1000 --rate 500/s",
      "flowclient bench e2e --clients 50 --rate 20k/s --max-p99 5ms --min-rate 19k/s",
      "flowclient bench sub --subject load --clients 100 --json",
    ]
  )

  private static let options: [CommandOption<Self>] = [
    .value("clients", .number, "connections that publish (sub: subscribe); default 1", \.clients),
    .value(
      "subscribers",
      .number,
      "connections that subscribe; default 1 for e2e, 10 for fanout",
      \.subscribers
    ),
    .value("size", .size, "size of a value, 16 to 1MiB (default 128)", \.request.size),
    .value(
      "values",
      .number,
      "stop after N values from each publisher (default: --for 5s)",
      \.values
    ),
    .length(\.length),
    .rate("values per second of all publishers, 50k/s; default: no limit", \.request.rate),
    .demand("keep N values requested; max: no limit (default 16384)", \.window),
    .value("slow", .number, "N subscribers are slow: --delay per value (default 1ms)", \.slow),
    .delay(\.delay),
    .value(
      "subject",
      .text("NAME"),
      "use an existing subject instead of creating one",
      \.request.subject
    ),
    .value(
      "flow",
      .choice("FLOW"),
      "flow of the created subject: slowest (default; pub: free) or free",
      \.flow
    ),
    .timeout(\.request.timeout),
    .value(
      "max-p99",
      .time,
      "exit 1 if 1 % of the values take longer than this: 5ms",
      \.request.thresholds.longestP99
    ),
    .value(
      "min-rate",
      .rate,
      "exit 1 if fewer values arrive (pub: are sent) per second",
      \.request.thresholds.leastRate
    ),
    .flag("json", "print the report as one JSON object", \.isJSON),
    .flag("csv", "print the report as CSV, a header and a row", \.isCSV),
  ]

  private static let mostClients: UInt64 = 100_000

  mutating func read(_ words: CommandWords) throws(UsageError) {
    let forms = BenchRequest.Form.allCases.map(\.rawValue).joined(separator: ", ")
    guard let word = words.operands.first else { throw refusal("bench needs one of \(forms)") }
    guard let form = BenchRequest.Form(rawValue: word.lowercased()) else {
      throw refusal("bench is \"\(word)\", expected one of \(forms)")
    }
    if let rest = words.operands.dropFirst().first {
      throw refusal("unexpected argument \"\(rest)\"; bench \(word) takes only options")
    }
    request.form = form
    try setClients()
    try setLoad()
    try setReaders()
    request.flow = flow ?? (form == .pub ? .free : .slowest)
    isJSON = isJSON || words.output == "json"
    isCSV = isCSV || words.output == "csv"
    if isJSON, isCSV { throw refusal("--json and --csv cannot be combined") }
    request.output = isJSON ? .json : isCSV ? .csv : .text
    try checkCombinations()
  }

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    try await Benching(request: request, session: session).run()
  }

  private mutating func setClients() throws(UsageError) {
    for (name, number) in [("--clients", clients), ("--subscribers", subscribers)] {
      if let number, number > Self.mostClients {
        throw refusal("\(name) is \"\(number)\", expected at most \(Self.mostClients)")
      }
    }
    let clients = self.clients.map { Int($0) }
    let subscribers = self.subscribers.map { Int($0) }
    switch request.form {
    case .pub, .sub:
      if subscribers != nil {
        throw refusal("--subscribers is for e2e and fanout; use --clients here")
      }
      request.publishers = request.form == .pub ? clients ?? 1 : 0
      request.subscribers = request.form == .sub ? clients ?? 1 : 0
    case .e2e:
      request.publishers = clients ?? 1
      request.subscribers = subscribers ?? 1
    case .fanout:
      if clients != nil {
        throw refusal("fanout has one publisher; --subscribers sets the number of readers")
      }
      request.subscribers = subscribers ?? 10
    }
  }

  private mutating func setLoad() throws(UsageError) {
    if values != nil, length != nil {
      throw refusal("--values and --for cannot be combined")
    }
    if let values { request.length = .values(values) }
    if let length {
      guard length > .zero else { throw refusal("--for is 0, expected a longer time") }
      request.length = .time(length)
    }
    if request.rate != nil, !request.form.publishes {
      throw refusal("--rate is for pub, e2e and fanout; sub publishes nothing")
    }
    let isPaced = request.rate != nil
    let (least, most) = (isPaced ? BenchValue.shortestPaced : BenchValue.shortest, 1_048_576)
    guard (least...most).contains(request.size) else {
      let why =
        isPaced
        ? "for a sender, a number and two times, with --rate" : "for a sender, a number and a time"
      throw refusal("--size is \"\(request.size)\", expected \(least) to \(most) (\(least) \(why))")
    }
  }

  private mutating func setReaders() throws(UsageError) {
    request.slow = Int(clamping: slow ?? 0)
    guard request.slow <= request.subscribers else {
      throw refusal(
        "--slow is \(request.slow), expected at most \(request.subscribers), the subscribers"
      )
    }
    if delay != nil, slow == nil {
      throw refusal("--delay is for slow readers; give their number with --slow N")
    }
    if window != nil, !request.form.subscribes {
      throw refusal("--demand is for sub, e2e and fanout; pub has no subscribers")
    }
    if let delay { request.delay = delay }
    if let window { (request.window, request.slowWindow) = (window, window) }
  }

  private func checkCombinations() throws(UsageError) {
    if request.form == .sub, request.subject == nil {
      throw UsageError(
        "sub needs --subject NAME, a subject that somebody publishes to",
        advice: "as in: flowclient bench pub --subject load & flowclient bench sub --subject load"
      )
    }
    if request.subject != nil, flow != nil {
      throw refusal("--flow cannot be combined with --subject, which names an existing subject")
    }
    if let subject = request.subject, !Name.isName(subject) {
      throw refusal("--subject is \"\(subject)\", expected a name")
    }
    if request.thresholds.longestP99 != nil, !request.form.subscribes {
      throw refusal("--max-p99 is for sub, e2e and fanout; pub measures no latency")
    }
  }

  private func refusal(_ message: String) -> UsageError {
    UsageError(message, advice: "see flowclient bench --help")
  }
}
