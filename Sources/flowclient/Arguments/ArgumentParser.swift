import FlowWire
import Programs

/// Turns the words after the program's name into an `Invocation`, by the tables.
struct ArgumentParser {
  /// What the server understands beside the commands of the table.
  let wireVerbs: [String]
  let words: ProgramWords<OptionName>
  /// The words that are no options, and no part of one.
  let operands: [String]
  /// What stands behind `--format template`.
  private let template: String?

  /// `server` is what `FLOW_SERVER` says in the environment.
  static func parse(
    _ arguments: [String],
    wireVerbs: [String],
    server: String? = nil
  ) throws(ClientError) -> Invocation {
    do throws(UsageError) {
      let words = try ProgramWords(arguments, by: OptionTable.all, advice: seeHelp)
      var invocation = try ArgumentParser(wireVerbs: wireVerbs, words: words).invocation()
      let isSaid = words.options.contains { $0.name == .server }
      if let server, !isSaid, invocation.action.asksServer {
        invocation.server = try ServerPlace.read(server, place: ClientVariable.server.rawValue)
        invocation.namesServer = true
      }
      return invocation
    } catch {
      throw ClientError(.usage, error.message, advice: error.advice)
    }
  }

  private init(
    wireVerbs: [String],
    words: ProgramWords<OptionName>
  ) throws(UsageError) {
    self.wireVerbs = wireVerbs
    self.words = words
    var operands = words.operands
    template = try Self.takeTemplate(of: words, from: &operands)
    self.operands = operands
  }

  static let seeHelp = "see flowclient --help"

  // MARK: Meaning

  private func invocation() throws(UsageError) -> Invocation {
    var result = Invocation()
    var details = SubscribeRequest(expression: "")
    var jobs: Int?
    var send = SendRequest(name: "")
    var check = CheckRequest()
    var files = FileOptions()
    var bench = BenchArguments()
    var top = TopRequest()
    var stats = StatsRequest()
    var marble = MarbleRequest(name: "")
    var wantsHelp = false
    var wantsVersion = false
    for option in words.options {
      switch option.name {
      case .server: result.server = try ServerPlace.read(option.value, place: option.place)
      case .tokenFile: result.tokenFile = option.value
      case .output where operands.first?.lowercased() == "graph":
        files.graph = try option.choice()
      case .output where operands.first?.lowercased() == "top": top.form = try option.choice()
      case .output where operands.first?.lowercased() == "stats":
        stats.form = try option.choice()
        if stats.form == .json { result.output = .json }
      case .output where operands.first?.lowercased() == "bench":
        let form: BenchRequest.Output = try option.choice()
        (bench.isJSON, bench.isCSV) = (form == .json, form == .csv)
      case .output: result.output = try form(option)
      case .quiet: result.isQuiet = true
      case .verbose: result.isVerbose = true
      case .trace: result.traces = true
      case .color: result.color = try option.choice()
      case .help: wantsHelp = true
      case .version: wantsVersion = true
      case .count: details.count = try number(option)
      case .demand: details.window = try window(option)
      case .durable: details.durable = try name(option)
      case .delay: details.delay = try time(option)
      case .for: details.length = try time(option)
      case .timeout: details.timeout = try time(option)
      case .manual: details.isManual = true
      case .jobs: jobs = Int(clamping: try number(option))
      case .copies: send.count = try number(option)
      case .format where operands.first?.lowercased() == "send":
        send.form = try option.choice()
      case .format where printsValues: result.valueForm = try valueForm(option, template)
      case .null:
        send.endsWithNull = true
        result.endsWithNull = true
      case .file: send.files.append(try file(option))
      case .chunks: send.chunk = try size(option)
      case .end: send.endsSubject = true
      case .failOnMiss: send.failsOnMiss = true
      case .warn: check.patience = try time(option)
      case .format: files.lint.form = try option.choice()
      case .strict: files.lint.isStrict = true
      case .check: files.isCheck = true
      case .dryRun: files.isDryRun = true
      case .force: files.isForced = true
      case .clients: bench.clients = try number(option)
      case .subscribers: bench.subscribers = try number(option)
      case .size: bench.size = try size(option)
      case .values: bench.values = try number(option)
      case .rate: bench.rate = try rate(option)
      case .slow: bench.slow = try number(option)
      case .subject: bench.subject = option.value
      case .flow: bench.flow = try option.choice()
      case .maxP99: bench.thresholds.longestP99 = try time(option)
      case .minRate: bench.thresholds.leastRate = try rate(option)
      case .json: bench.isJSON = true
      case .csv: bench.isCSV = true
      case .interval: top.interval = try interval(option)
      case .batch: top.isBatch = true
      case .filter: top.filter = try filter(option)
      case .sort: top.sort = try option.choice()
      case .stream: top.stream = try stream(option)
      case .ascii:
        top.isASCII = true
        marble.isASCII = true
      case .save: marble.file = option.value
      }
    }
    result.namesServer = words.options.contains { $0.name == .server }
    files.limit = details.timeout
    if wantsVersion {
      result.action = .version
    } else if wantsHelp {
      result.action = .help(operands.first.flatMap(VerbTable.entry)?.name)
    } else {
      try checkOptionsFit()
      try checkForm(of: result)
      if result.output == .json, files.lint.form == .text { files.lint.form = .json }
      if let task = try fileAction(files) {
        result.action = task
      } else if operands.first?.lowercased() == "bench" {
        result.action = .bench(try bench.request(operands.dropFirst(), details))
      } else if operands.first?.lowercased() == "send" {
        send.rate = bench.rate
        send.timeout = details.timeout
        result.action = .send(try complete(send))
      } else if operands.first?.lowercased() == "top" {
        top.count = details.count
        result.action = .top(try complete(top))
      } else if operands.first?.lowercased() == "stats" {
        result.action = .stats(try complete(stats))
      } else if operands.first?.lowercased() == "marble" {
        marble.length = details.length
        result.action = .marble(try complete(marble))
      } else if operands.first?.lowercased() == "check" {
        check.timeout = details.timeout ?? check.timeout
        result.action = .check(try complete(check))
      } else {
        result.action = try action(details, jobs)
      }
    }
    return result
  }

  /// The form of the output, if the command has it.
  private func form(_ option: GivenOption<OptionName>) throws(UsageError) -> OutputForm {
    let isHelp = words.options.contains { $0.name == .help }
    let verb = isHelp ? nil : operands.first.flatMap(VerbTable.entry)
    let forms = verb?.forms ?? OutputForm.allCases.map(\.rawValue)
    guard let form = OutputForm(rawValue: option.value), forms.contains(form.rawValue) else {
      throw option.refusal("one of \(forms.joined(separator: ", "))")
    }
    return form
  }

  private var printsValues: Bool { ["sub", "tap"].contains(operands.first?.lowercased()) }

  /// Refuses what does not go together in the form of values that are printed.
  private func checkForm(of invocation: Invocation) throws(UsageError) {
    guard printsValues, let form = invocation.valueForm else { return }
    if words.options.contains(where: { $0.name == .output }) {
      throw UsageError("-o and --format cannot be combined")
    }
    if form == .csv, invocation.endsWithNull {
      throw UsageError("-0 cannot be combined with --format csv, whose records are lines")
    }
  }

  private func checkOptionsFit() throws(UsageError) {
    let verb = operands.first.flatMap(VerbTable.entry)
    let allowed = OptionTable.general + (verb?.options ?? [])
    for option in words.options where !allowed.contains(option.name) {
      let owners = VerbTable.all.filter { $0.options.contains(option.name) }.map(\.name)
      let what = operands.first.map { "\"\($0)\"" } ?? "lines from standard input"
      throw UsageError(
        "\(option.place) is for \(owners.joined(separator: " and ")), not for \(what)"
      )
    }
  }

  private func action(
    _ details: SubscribeRequest,
    _ jobs: Int?
  ) throws(UsageError) -> Action {
    guard let word = operands.first else { return .converse }
    let rest = Array(operands.dropFirst())
    switch word.lowercased() {
    case "sub", "take": return .subscribe(try subscription(word, rest, details))
    case "tap": return .subscribe(try tap(details))
    case "serve": return .serve(try service(jobs))
    default: return .line(try line(word))
    }
  }

  private func line(_ word: String) throws(UsageError) -> String {
    let verb = word.uppercased()
    let known = VerbTable.all.map { $0.name.uppercased() } + wireVerbs
    guard known.contains(verb) else {
      let names = known.map { $0.lowercased() }
      if let meant = Verb.meant(by: word)?.rawValue.lowercased(), names.contains(meant),
        Self.replacements[meant.uppercased()] == nil
      {
        let line = ([meant] + operands.dropFirst()).joined(separator: " ")
        let isShort = operands.count > 1 && line.count <= 100
        throw UsageError(
          "unknown command \"\(word)\"; did you mean \"\(meant)\"?",
          advice: isShort ? "as in: flowclient \(line)" : Self.seeHelp
        )
      }
      throw UsageError(unknown: "command", word, among: names, advice: Self.seeHelp)
    }
    if let replacement = Self.replacements[verb] {
      throw UsageError("\(word) is for netcat", advice: "use instead: \(replacement)")
    }
    let text = ([verb] + operands.dropFirst()).joined(separator: " ")
    try checkIsOneLine(text, "a command")
    if VerbTable.entry(word)?.operands == "NAME", operands.count > 1 { _ = try name(operands[1]) }
    return text
  }

  /// What makes no sense as the one line of a conversation, and what to say instead.
  private static let replacements = [
    "HELLO": "nothing, flowclient sends it",
    "AUTH": "--token-file FILE, or FLOW_TOKEN in the environment",
    "FEED": "flowclient send NAME < FILE",
    "TAIL": "flowclient sub EXPR --demand max", "PUB": "flowclient send NAME < FILE",
    "REQ": "flowclient sub EXPR --manual", "CANCEL": "control-C", "QUIT": "nothing, just exit",
  ]

  func checkIsOneLine(_ text: String, _ what: String) throws(UsageError) {
    guard !text.utf8.contains(where: { $0 == 10 || $0 == 13 }) else {
      throw UsageError("\(what) must not contain a line break")
    }
  }

  func example(_ verb: String) -> String? {
    VerbTable.entry(verb)?.examples.first.map { "as in: \($0)" }
  }
}
