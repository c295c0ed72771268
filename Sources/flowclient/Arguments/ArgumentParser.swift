import Spelling

/// Turns the words after the program's name into an `Invocation`, by the tables.
struct ArgumentParser {
  /// What the server understands beside the commands of the table.
  let wireVerbs: [String]
  private var options: [(entry: OptionEntry, value: String, asWritten: String)] = []
  private(set) var operands: [String] = []
  /// Where in the operands the `--` stood.
  private var divider: Int?

  init(wireVerbs: [String]) {
    self.wireVerbs = wireVerbs
  }

  static func parse(
    _ arguments: [String],
    wireVerbs: [String]
  ) throws(ClientError) -> Invocation {
    var parser = ArgumentParser(wireVerbs: wireVerbs)
    try parser.split(arguments)
    return try parser.invocation()
  }

  // MARK: Words

  private mutating func split(_ arguments: [String]) throws(ClientError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        divider = operands.count
        operands += rest
        return
      } else if argument.hasPrefix("--") {
        try long(argument.dropFirst(2), &rest)
      } else if argument.hasPrefix("-"), let first = argument.dropFirst().first, !first.isNumber {
        try cluster(argument.dropFirst(), &rest)
      } else {
        operands.append(argument)
      }
    }
  }

  private mutating func long(
    _ text: Substring,
    _ rest: inout ArraySlice<String>
  ) throws(ClientError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let entry = OptionTable.entry(long: name) else {
      let near = nearest(to: name, among: OptionTable.all.map(\.name.rawValue))
      let hint = near.map { "; did you mean --\($0)?" } ?? ""
      throw ClientError(.usage, "there is no option --\(name)\(hint)", advice: seeHelp)
    }
    if parts.count == 2 {
      guard entry.value != nil else {
        throw ClientError(.usage, "--\(name) takes no value, it was given '\(parts[1])'")
      }
      options.append((entry, String(parts[1]), "--\(name)"))
    } else {
      options.append((entry, try value(of: entry, "--\(name)", &rest), "--\(name)"))
    }
  }

  /// `-qv`, `-n 5` or `-n5`.
  private mutating func cluster(
    _ letters: Substring,
    _ rest: inout ArraySlice<String>
  ) throws(ClientError) {
    var letters = letters
    while let letter = letters.popFirst() {
      guard let entry = OptionTable.entry(short: letter) else {
        throw ClientError(.usage, "there is no option -\(letter)", advice: seeHelp)
      }
      if entry.value != nil, !letters.isEmpty {
        options.append((entry, String(letters), "-\(letter)"))
        return
      }
      options.append((entry, try value(of: entry, "-\(letter)", &rest), "-\(letter)"))
    }
  }

  private func value(
    of entry: OptionEntry,
    _ asWritten: String,
    _ rest: inout ArraySlice<String>
  ) throws(ClientError) -> String {
    guard let placeholder = entry.value else { return "" }
    guard let value = rest.popFirst() else {
      throw ClientError(.usage, "\(asWritten) needs a value: \(asWritten) \(placeholder)")
    }
    return value
  }

  var seeHelp: String { "flowclient --help lists them" }

  // MARK: Meaning

  private func invocation() throws(ClientError) -> Invocation {
    var result = Invocation()
    var details = SubscribeRequest(expression: "")
    var jobs: Int?
    var send = SendRequest(name: "")
    var check = CheckRequest()
    var files = FileOptions()
    var bench = BenchArguments()
    var wantsHelp = false
    var wantsVersion = false
    for (entry, value, asWritten) in options {
      switch entry.name {
      case .server: result.server = value
      case .tokenFile: result.tokenFile = value
      case .output where operands.first?.lowercased() == "graph":
        files.graph = try choice(value, asWritten)
      case .output: result.output = try choice(value, asWritten)
      case .quiet: result.isQuiet = true
      case .verbose: result.isVerbose = true
      case .trace: result.traces = true
      case .color: result.color = try choice(value, asWritten)
      case .help: wantsHelp = true
      case .version: wantsVersion = true
      case .count: details.count = try number(value, asWritten)
      case .demand: details.window = try window(value, asWritten)
      case .delay: details.delay = try time(value, asWritten)
      case .for: details.length = try time(value, asWritten)
      case .timeout: details.timeout = try time(value, asWritten)
      case .manual: details.isManual = true
      case .jobs: jobs = Int(clamping: try number(value, asWritten))
      case .copies: send.count = try number(value, asWritten)
      case .format where operands.first?.lowercased() == "send":
        send.form = try choice(value, asWritten)
      case .warn: check.patience = try time(value, asWritten)
      case .format: files.lint.form = try choice(value, asWritten)
      case .strict: files.lint.isStrict = true
      case .check: files.isCheck = true
      case .dryRun: files.isDryRun = true
      case .clients: bench.clients = try number(value, asWritten)
      case .subscribers: bench.subscribers = try number(value, asWritten)
      case .size: bench.size = try size(value, asWritten)
      case .values: bench.values = try number(value, asWritten)
      case .rate: bench.rate = try rate(value, asWritten)
      case .slow: bench.slow = try number(value, asWritten)
      case .subject: bench.subject = value
      case .flow: bench.flow = try choice(value, asWritten)
      case .maxP99: bench.thresholds.longestP99 = try time(value, asWritten)
      case .minRate: bench.thresholds.leastRate = try rate(value, asWritten)
      case .json: bench.isJSON = true
      case .csv: bench.isCSV = true
      }
    }
    if wantsVersion {
      result.action = .version
    } else if wantsHelp {
      result.action = .help(operands.first.flatMap(VerbTable.entry)?.name)
    } else {
      try checkOptionsFit()
      if let task = try fileAction(files) {
        result.action = task
      } else if operands.first?.lowercased() == "bench" {
        result.action = .bench(try bench.request(operands.dropFirst(), details))
      } else if operands.first?.lowercased() == "send" {
        send.rate = bench.rate
        send.timeout = details.timeout
        result.action = .send(try complete(send))
      } else if operands.first?.lowercased() == "check" {
        check.timeout = details.timeout ?? check.timeout
        result.action = .check(try complete(check))
      } else {
        result.action = try action(details, jobs)
      }
    }
    return result
  }

  private func checkOptionsFit() throws(ClientError) {
    let verb = operands.first.flatMap(VerbTable.entry)
    let allowed = OptionTable.general + (verb?.options ?? [])
    for (entry, _, asWritten) in options where !allowed.contains(entry.name) {
      let owners = VerbTable.all.filter { $0.options.contains(entry.name) }.map(\.name)
      let what = operands.first.map { "'\($0)'" } ?? "lines from standard input"
      throw ClientError(
        .usage,
        "\(asWritten) goes with \(owners.joined(separator: " and ")), not with \(what)"
      )
    }
  }

  private func action(
    _ details: SubscribeRequest,
    _ jobs: Int?
  ) throws(ClientError) -> Action {
    guard let word = operands.first else { return .converse }
    let rest = Array(operands.dropFirst())
    switch word.lowercased() {
    case "sub", "take": return .subscribe(try subscription(word, rest, details))
    case "serve": return .serve(try service(jobs))
    default: return .line(try line(word))
    }
  }

  /// `send NAME [VALUE…]`.
  private func complete(_ request: SendRequest) throws(ClientError) -> SendRequest {
    var request = request
    guard operands.count > 1 else {
      throw ClientError(.usage, "send needs a NAME", advice: example("send"))
    }
    request.name = operands[1]
    request.values = Array(operands.dropFirst(2))
    if request.count != nil, request.values.count != 1 {
      throw ClientError(
        .usage,
        "--count sends one VALUE several times, it was given \(request.values.count)",
        advice: "as in: flowclient send orders --count 100 '{\"id\":{n}}'"
      )
    }
    if request.form == .json, !request.values.isEmpty {
      throw ClientError(.usage, "--format json is for values from standard input")
    }
    return request
  }

  /// `check [NAME]`.
  private func complete(_ request: CheckRequest) throws(ClientError) -> CheckRequest {
    guard operands.count < 3 else {
      throw ClientError(.usage, "check takes one NAME, or none", advice: example("check"))
    }
    var request = request
    request.name = operands.dropFirst().first
    return request
  }

  /// `sub EXPR`, and `sub EXPR N|max` as it would be typed.
  private func subscription(
    _ word: String,
    _ words: [String],
    _ details: SubscribeRequest
  ) throws(ClientError) -> SubscribeRequest {
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
      throw ClientError(.usage, "\(word) needs an EXPR", advice: example("sub"))
    }
    if word.lowercased() == "take", result.count == nil {
      throw ClientError(
        .usage,
        "take needs a number of values",
        advice: "as in: flowclient take orders 3"
      )
    }
    try checkIsOneLine(result.expression, "the expression")
    if result.isManual, result.window != nil || result.delay != nil || result.count != nil {
      throw ClientError(.usage, "--manual asks by hand; it excludes -n, --demand and --delay")
    }
    return result
  }

  /// `serve NAME -- CMD ARGUMENT…`.
  private func service(_ jobs: Int?) throws(ClientError) -> ServeRequest {
    let divider = divider ?? operands.count
    let command = Array(operands[divider...])
    guard divider > 1 else {
      throw ClientError(.usage, "serve needs a NAME", advice: example("serve"))
    }
    guard divider == 2, !command.isEmpty else {
      throw ClientError(
        .usage,
        "serve needs a name, -- and the command that answers",
        advice: example("serve")
      )
    }
    return ServeRequest(name: operands[1], jobs: jobs, command: command)
  }

  private func line(_ word: String) throws(ClientError) -> String {
    let verb = word.uppercased()
    let known = VerbTable.all.map { $0.name.uppercased() } + wireVerbs
    guard known.contains(verb) else {
      let near = nearest(to: verb, among: known)?.lowercased()
      let hint = near.map { "; did you mean \($0)?" } ?? ""
      throw ClientError(.usage, "there is no command '\(word)'\(hint)", advice: seeHelp)
    }
    if let replacement = Self.replacements[verb] {
      throw ClientError(.usage, "\(word) is for netcat", advice: "here it is: \(replacement)")
    }
    let text = ([verb] + operands.dropFirst()).joined(separator: " ")
    try checkIsOneLine(text, "a command")
    return text
  }

  /// What makes no sense as the one line of a conversation, and what to say instead.
  private static let replacements = [
    "HELLO": "nothing, flowclient says it",
    "AUTH": "--token-file FILE, or FLOW_TOKEN in the environment",
    "FEED": "flowclient send NAME < FILE",
    "TAIL": "flowclient sub EXPR --demand max", "PUB": "flowclient send NAME < FILE",
    "REQ": "flowclient sub EXPR --manual", "CANCEL": "control-C", "QUIT": "nothing, just leave",
  ]

  func checkIsOneLine(_ text: String, _ what: String) throws(ClientError) {
    guard !text.utf8.contains(where: { $0 == 10 || $0 == 13 }) else {
      throw ClientError(.usage, "\(what) is one line, this has a line break in it")
    }
  }

  func example(_ verb: String) -> String? {
    VerbTable.entry(verb)?.examples.first.map { "as in: \($0)" }
  }
}

// MARK: - Values of options

extension ArgumentParser {
  private func choice<C: RawRepresentable & CaseIterable>(
    _ text: String,
    _ asWritten: String
  ) throws(ClientError) -> C where C.RawValue == String {
    guard let choice = C(rawValue: text) else {
      let choices = C.allCases.map(\.rawValue).joined(separator: ", ")
      throw ClientError(.usage, "\(asWritten) is '\(text)', expected one of \(choices)")
    }
    return choice
  }

  private func number(_ text: String, _ asWritten: String) throws(ClientError) -> UInt64 {
    guard let number = UInt64(text), number > 0 else {
      throw ClientError(.usage, "\(asWritten) is '\(text)', expected a whole number from 1")
    }
    return number
  }

  private func window(
    _ text: String,
    _ asWritten: String
  ) throws(ClientError) -> SubscribeRequest.Window {
    if text.lowercased() == "max" { return .unlimited }
    guard let number = UInt64(text), number > 0 else {
      throw ClientError(.usage, "\(asWritten) is '\(text)', expected a whole number from 1 or max")
    }
    return .upTo(number)
  }

  private func size(_ text: String, _ asWritten: String) throws(ClientError) -> UInt64 {
    guard let size = QuantityText.size(text) else {
      throw ClientError(.usage, "\(asWritten) is '\(text)', expected a size such as 128, 4KiB")
    }
    return size
  }

  private func rate(_ text: String, _ asWritten: String) throws(ClientError) -> Double {
    guard let rate = QuantityText.rate(text) else {
      throw ClientError(.usage, "\(asWritten) is '\(text)', expected a rate such as 500/s, 50k/s")
    }
    return rate
  }

  private func time(_ text: String, _ asWritten: String) throws(ClientError) -> Duration {
    guard let time = Duration(text: text) else {
      throw ClientError(.usage, "\(asWritten) is '\(text)', expected a time such as 250ms, 5s, 2m")
    }
    return time
  }
}
