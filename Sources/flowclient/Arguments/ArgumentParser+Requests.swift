import FlowWire
import Programs

/// What each command that takes more than words asks for.
extension ArgumentParser {
  /// `send NAME [VALUE…]`.
  func complete(_ request: SendRequest) throws(UsageError) -> SendRequest {
    var request = request
    guard operands.count > 1 else {
      throw UsageError("send needs a NAME", advice: example("send"))
    }
    request.name = try name(operands[1])
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

  /// The NAME behind a command that can do without.
  private func optionalName(of verb: String) throws(UsageError) -> String? {
    guard operands.count < 3 else {
      throw UsageError("\(verb) takes at most one NAME", advice: example(verb))
    }
    return try operands.dropFirst().first.map(name)
  }

  /// A NAME, which goes into a line of the protocol as it is.
  func name(_ word: String) throws(UsageError) -> String {
    guard Name.isReadable(word) else {
      throw UsageError("NAME is \"\(word)\", expected \(Name.expected(insteadOf: word))")
    }
    return word
  }

  /// `check [NAME]`.
  func complete(_ request: CheckRequest) throws(UsageError) -> CheckRequest {
    var request = request
    request.name = try optionalName(of: "check")
    return request
  }

  /// `stats [NAME|PATTERN]`.
  func complete(_ request: StatsRequest) throws(UsageError) -> StatsRequest {
    guard operands.count < 3 else {
      throw UsageError("stats takes at most one NAME or PATTERN", advice: example("stats"))
    }
    var request = request
    request.name = operands.dropFirst().first
    if let name = request.name {
      guard !name.isEmpty, name.utf8.allSatisfy({ 33...126 ~= $0 }) else {
        throw UsageError(
          "NAME is \"\(name)\", expected a name or a pattern",
          advice: "as in: flowclient stats 'sensors/*'"
        )
      }
    }
    return request
  }

  /// `top [NAME]`.
  func complete(_ request: TopRequest) throws(UsageError) -> TopRequest {
    var request = request
    request.name = try optionalName(of: "top")
    if request.stream != nil, request.name == nil {
      throw UsageError(
        "--stream needs the NAME that it runs",
        advice: "as in: flowclient top slow --stream 7.1"
      )
    }
    return request
  }

  /// `sub EXPR`, and `sub EXPR N|max` as it would be typed.
  func subscription(
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
  func tap(_ details: SubscribeRequest) throws(UsageError) -> SubscribeRequest {
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
  func complete(_ request: MarbleRequest) throws(UsageError) -> MarbleRequest {
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
  func service(_ jobs: Int?) throws(UsageError) -> ServeRequest {
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
    return ServeRequest(name: try name(operands[1]), jobs: jobs, command: command)
  }
}
