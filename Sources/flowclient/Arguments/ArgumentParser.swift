import FlowWire
import Programs

/// Parses the program's arguments into an `Invocation`, by the tables.
struct ArgumentParser {
  private var options: [ClientOption]
  private var operands: [String]
  private let divider: Int?

  /// Parses the arguments; `server` is the value of `FLOW_SERVER`.
  static func parse(
    _ arguments: [String],
    server: String? = nil
  ) throws(ClientError) -> Invocation {
    do throws(UsageError) {
      let words = try ProgramWords(
        arguments,
        by: OptionTable.all,
        advice: seeHelp,
        elsewhere: OptionTable.elsewhere
      )
      var invocation = try ArgumentParser(words).invocation()
      if let server, !invocation.namesServer, invocation.command.asksServer {
        invocation.server = try ServerPlace.read(server, place: ClientVariable.server.rawValue)
        invocation.namesServer = true
      }
      return invocation
    } catch {
      throw ClientError(.usage, error.message, advice: error.advice)
    }
  }

  private init(_ words: ProgramWords<OptionName>) throws(UsageError) {
    options = words.options
    operands = words.operands
    divider = words.divider
    try joinTemplate()
  }

  private static let seeHelp = "see flowclient --help"

  private var entry: VerbEntry? { operands.first.flatMap(VerbTable.entry) }

  /// Joins `--format template` with the next word, its text.
  private mutating func joinTemplate() throws(UsageError) {
    guard let index = options.lastIndex(where: { $0.name == "format" && $0.value == "template" })
    else { return }
    let option = options[index]
    guard operands.indices.contains(option.operandsBefore) else {
      throw UsageError(
        "\(option.source) template needs a text",
        advice: "as in: flowclient sub orders --format template '{id}: {price}'"
      )
    }
    let text = operands.remove(at: option.operandsBefore)
    guard entry?.option("format")?.words.contains("template") == true else { return }
    options[index] = ClientOption(
      name: option.name,
      value: "template=\(text)",
      source: option.source
    )
  }

  private func invocation() throws(UsageError) -> Invocation {
    var result = Invocation()
    for option in options {
      let row = OptionTable.general.first { $0.entry.name == option.name }
      try row?.apply(&result, option)
    }
    result.namesServer = options.contains { $0.name == "server" }
    try checkForm(isHelp: result.wantsHelp)
    try checkIsNoHost()
    if result.wantsVersion {
      result.command = VersionRequest()
    } else if result.wantsHelp {
      result.command = HelpRequest.page(entry?.name)
    } else {
      try checkOptionsFit()
      result.command = try command(result.output)
    }
    return result
  }

  /// Refuses a value of `-o` that the command does not have.
  private func checkForm(isHelp: Bool) throws(UsageError) {
    let forms = isHelp ? nil : entry?.forms
    let known = forms ?? ["text", "raw", "json"]
    for option in options where option.name == "output" && !known.contains(option.value) {
      let isFormat = entry?.formats.contains(option.value) ?? false
      let hint = isFormat ? "; did you mean --format \(option.value)?" : ""
      throw option.refusal("one of \(known.joined(separator: ", "))\(hint)")
    }
  }

  /// Refuses `-h HOST`, as other clients spell it: here `-h` is help.
  private func checkIsNoHost() throws(UsageError) {
    guard let host = operands.first, entry == nil, host == "localhost" || host.contains("."),
      options.contains(where: { $0.source == "-h" && $0.operandsBefore == 0 })
    else { return }
    throw UsageError("-h prints help; did you mean \"-s \(host)\"?", advice: Self.seeHelp)
  }

  private func checkOptionsFit() throws(UsageError) {
    let allowed = OptionTable.generalEntries + (entry?.options ?? [])
    for option in options where !allowed.contains(where: { $0.name == option.name }) {
      let owners = VerbTable.all.filter { $0.option(option.name) != nil }.map(\.name)
      let what = operands.first.map { "\"\($0)\"" } ?? "lines from standard input"
      let isCount = option.name == "count" && allowed.contains { $0.name == "number" }
      let hint = isCount ? "; did you mean \"-n \(option.value)\"?" : ""
      throw UsageError(
        "\(option.source) is for \(owners.joined(separator: " and ")), not for \(what)\(hint)"
      )
    }
  }

  private func command(_ output: String?) throws(UsageError) -> any ClientCommand {
    guard let verb = operands.first else { return ConverseRequest() }
    let words = CommandWords(
      verb: verb,
      operands: Array(operands.dropFirst()),
      divider: divider.map { $0 - 1 },
      output: output
    )
    if let entry { return try entry.request(options, words) }
    if verb.lowercased() == "take" {
      var request = SubscribeRequest()
      try request.read(words)
      return request
    }
    try checkIsSent(words)
    return try LineRequest(words)
  }

  /// Refuses a verb that is unknown to the server, or useless as a single line.
  private func checkIsSent(_ words: CommandWords) throws(UsageError) {
    let word = words.verb
    let verb = word.uppercased()
    let known = VerbTable.all.map { $0.name.uppercased() } + CommandTable.all.map(\.name)
    guard known.contains(verb) else {
      let names = known.map { $0.lowercased() }
      if let meant = Verb.meant(by: word)?.rawValue.lowercased(), names.contains(meant),
        Self.replacements[meant.uppercased()] == nil
      {
        let line = ([meant] + words.operands).joined(separator: " ")
        let isShort = !words.operands.isEmpty && line.count <= 100
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
  }

  /// Advice for verbs that are useless as a single line.
  private static let replacements = [
    "HELLO": "nothing, flowclient sends it",
    "AUTH": "--token-file FILE, or FLOW_TOKEN in the environment",
    "FEED": "flowclient send NAME < FILE",
    "TAIL": "flowclient sub EXPR --demand max", "PUB": "flowclient send NAME < FILE",
    "REQ": "flowclient sub EXPR --manual", "CANCEL": "control-C", "QUIT": "nothing, just exit",
  ]
}
