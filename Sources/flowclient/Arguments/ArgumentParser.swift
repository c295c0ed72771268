import FlowWire
import Programs

/// Turns the words after the program's name into an `Invocation`, by the tables.
struct ArgumentParser {
  /// What the server understands beside the commands of the table.
  let wireVerbs: [String]
  private let words: ProgramWords<OptionName>
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
      case .warn: check.patience = try time(option)
      case .format: files.lint.form = try option.choice()
      case .strict: files.lint.isStrict = true
      case .check: files.isCheck = true
      case .dryRun: files.isDryRun = true
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

  /// `send NAME [VALUE…]`.
  private func complete(_ request: SendRequest) throws(UsageError) -> SendRequest {
    var request = request
    guard operands.count > 1 else {
      throw UsageError("send needs a NAME", advice: example("send"))
    }
    request.name = operands[1]
    request.values = Array(operands.dropFirst(2))
    if request.count != nil, request.values.count != 1 {
      throw UsageError(
        "--count needs exactly one VALUE, but there are \(request.values.count)",
        advice: "as in: flowclient send orders --count 100 '{\"id\":{n}}'"
      )
    }
    let isUsual = request.form == .text && !request.endsWithNull
    let option = request.form == .text ? "-0" : "--format \(request.form.rawValue)"
    if !isUsual, !request.values.isEmpty {
      throw UsageError("\(option) is for values from standard input")
    }
    if !request.values.isEmpty, !request.files.isEmpty || request.chunk != nil {
      let option = request.files.isEmpty ? "--chunks" : "--file"
      throw UsageError("\(option) is given, and so is a VALUE; the values come from one of them")
    }
    if !isUsual, !request.files.isEmpty || request.chunk != nil {
      throw UsageError("\(option) is for standard input, not for --file or --chunks")
    }
    if request.endsWithNull, ![.text, .raw].contains(request.form) {
      throw UsageError("-0 cannot be combined with \(option), which is read line by line")
    }
    return request
  }

  /// `check [NAME]`.
  private func complete(_ request: CheckRequest) throws(UsageError) -> CheckRequest {
    guard operands.count < 3 else {
      throw UsageError("check takes at most one NAME", advice: example("check"))
    }
    var request = request
    request.name = operands.dropFirst().first
    return request
  }

  /// `top [NAME]`.
  private func complete(_ request: TopRequest) throws(UsageError) -> TopRequest {
    guard operands.count < 3 else {
      throw UsageError("top takes at most one NAME", advice: example("top"))
    }
    var request = request
    request.name = operands.dropFirst().first
    if let name = request.name, !Name.isReadable(name) {
      throw UsageError("NAME is \"\(name)\", expected \(Name.expected(insteadOf: name))")
    }
    if request.stream != nil, request.name == nil {
      throw UsageError(
        "--stream needs the NAME that it runs",
        advice: "as in: flowclient top slow --stream 7.1"
      )
    }
    return request
  }

  /// `sub EXPR`, and `sub EXPR N|max` as it would be typed.
  private func subscription(
    _ word: String,
    _ words: [String],
    _ details: SubscribeRequest
  ) throws(UsageError) -> SubscribeRequest {
    var result = details
    var words = words
    if words.count > 1, let last = words.last {
      if let count = UInt64(last) {
        result.count = result.count ?? count
        words.removeLast()
      } else if last.lowercased() == "max" {
        result.window = result.window ?? .unlimited
        words.removeLast()
      }
    }
    result.expression = words.joined(separator: " ")
    guard !result.expression.isEmpty else {
      throw UsageError("\(word) needs an EXPR", advice: example("sub"))
    }
    if words.count > 1 { try checkIsQuoted(words, word) }
    if word.lowercased() == "take", result.count == nil {
      throw UsageError(
        "take needs a number of values",
        advice: "as in: flowclient take orders 3"
      )
    }
    try checkIsOneLine(result.expression, "the expression")
    if result.isManual, result.window != nil || result.delay != nil || result.count != nil {
      throw UsageError("--manual cannot be combined with -n, --demand or --delay")
    }
    if result.durable != nil { try checkDurable(result) }
    return result
  }

  /// Refuses words that are no expression together, as those that a shell makes of one without quotes.
  private func checkIsQuoted(_ words: [String], _ verb: String) throws(UsageError) {
    let text = words.joined(separator: " ")
    guard !Expression.isWhole(text) else { return }
    let areNames = words.allSatisfy(Name.isReadable)
    let others = words.dropFirst().joined(separator: ", ")
    let meant = areNames ? "\(words[0]).merge(with: \(others))" : text
    throw UsageError(
      "\(verb) takes one EXPR, in quotes; there are \(words.count) words",
      advice: meant.contains("'") ? nil : "as in: flowclient \(verb) '\(meant)'"
    )
  }

  /// `tap NAME[.STAGE]`.
  private func tap(_ details: SubscribeRequest) throws(UsageError) -> SubscribeRequest {
    guard operands.count == 2 else {
      throw UsageError("tap needs a NAME", advice: example("tap"))
    }
    let parts = operands[1].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard Name.isReadable(name) else {
      throw UsageError("\"\(operands[1])\" is no name", advice: example("tap"))
    }
    var request = details
    request.expression = operands[1]
    request.tap = TapPlace(name: name)
    if parts.count > 1 {
      guard let stage = UInt64(parts[1]).flatMap({ Int(exactly: $0) }) else {
        throw UsageError(
          "\"\(parts[1])\" is no stage; expected a number from 0",
          advice: "flowclient show \(name) shows the stages"
        )
      }
      request.tap?.stage = stage
    }
    return request
  }

  /// `marble NAME`.
  private func complete(_ request: MarbleRequest) throws(UsageError) -> MarbleRequest {
    guard operands.count == 2, Name.isReadable(operands[1]) else {
      throw UsageError(
        "marble needs the NAME of a pipeline, run or subject",
        advice: example("marble")
      )
    }
    var request = request
    request.name = operands[1]
    return request
  }

  /// `serve NAME -- CMD ARGUMENT…`.
  private func service(_ jobs: Int?) throws(UsageError) -> ServeRequest {
    let divider = words.divider ?? operands.count
    let command = Array(operands[divider...])
    guard divider > 1 else {
      throw UsageError("serve needs a NAME", advice: example("serve"))
    }
    guard divider == 2, !command.isEmpty else {
      throw UsageError(
        "serve needs a NAME, then -- and the command that answers",
        advice: example("serve")
      )
    }
    return ServeRequest(name: operands[1], jobs: jobs, command: command)
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

// MARK: - Values of options

extension ArgumentParser {
  private typealias Option = GivenOption<OptionName>

  private func number(_ option: Option) throws(UsageError) -> UInt64 {
    guard let number = UInt64(option.value), number > 0 else {
      throw option.refusal("a positive integer")
    }
    return number
  }

  private func file(_ option: Option) throws(UsageError) -> String {
    guard !option.value.isEmpty else { throw option.refusal("the path of a file") }
    return option.value
  }

  private func name(_ option: Option) throws(UsageError) -> String {
    guard Name.isWord(option.value) else { throw option.refusal(Name.wordGrammar) }
    return option.value
  }

  /// Refuses what does not go with a durable subscription, of which each request acknowledges.
  private func checkDurable(_ request: SubscribeRequest) throws(UsageError) {
    switch request.window {
    case .upTo(1...16_384), nil: break
    case .upTo, .unlimited: throw UsageError("--durable needs a --demand of 1 to 16384")
    }
  }

  private func window(_ option: Option) throws(UsageError) -> SubscribeRequest.Window {
    if option.value.lowercased() == "max" { return .unlimited }
    guard let number = UInt64(option.value), number > 0 else {
      throw option.refusal("a positive integer or max")
    }
    return .upTo(number)
  }

  private func size(_ option: Option) throws(UsageError) -> UInt64 {
    guard let size = Quantity.size(option.value[...]), size > 0 else {
      throw option.refusal("a size such as 128 or 4KiB")
    }
    return UInt64(size)
  }

  private func rate(_ option: Option) throws(UsageError) -> Double {
    guard let rate = ValueRate.read(option.value) else {
      throw option.refusal("a rate such as 500/s or 50k/s")
    }
    return rate
  }

  private func interval(_ option: Option) throws(UsageError) -> Duration {
    let time = try time(option)
    guard .milliseconds(100) ... .seconds(3600) ~= time else {
      throw option.refusal("a time from 100ms to 1h")
    }
    return time
  }

  private func stream(_ option: Option) throws(UsageError) -> StreamPlace {
    guard let place = StreamPlace(option.value[...]) else {
      throw option.refusal("a client and its stream, such as 7.1")
    }
    return place
  }

  private func filter(_ option: Option) throws(UsageError) -> String {
    guard (1...128).contains(option.value.utf8.count),
      option.value.utf8.allSatisfy({ 33...126 ~= $0 })
    else { throw option.refusal("a part of a name") }
    return option.value
  }

  private func time(_ option: Option) throws(UsageError) -> Duration {
    guard let time = Duration(text: option.value) else {
      throw option.refusal("a time such as 250ms, 5s or 2m")
    }
    return time
  }
}
