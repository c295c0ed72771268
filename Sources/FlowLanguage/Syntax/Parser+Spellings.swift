// What Combine has other words for than an operator.

extension Parser {
  /// A call, as the operator or source that it stands for.
  func call(
    _ callee: Syntax,
    _ arguments: [Argument],
    from start: Int
  ) throws(Diagnostic) -> Syntax {
    if case .member(let base, let name) = callee.kind, case .name(let type) = base.kind {
      if type == "Publishers" {
        return try joining(name.text, at: callee.range, arguments, from: start)
      }
      if type == "Result", name.text == "Publisher", arguments.count == 1 {
        let value = arguments[0].value
        if let source = try outcome(value, from: start) { return source }
        return try source("Just", value, from: start)
      }
    }
    let arguments = try mapped(callee, arguments) ?? arguments
    // A member and its call are one part of a chain.
    let before = if case .member(let base, _) = callee.kind { base } else { callee }
    return try node(
      .call(callee, arguments),
      from: start,
      above: [before] + arguments.map(\.value)
    )
  }

  /// The closure that `map(\.a, \.b)` stands for: it makes an array.
  private func mapped(
    _ callee: Syntax,
    _ arguments: [Argument]
  ) throws(Diagnostic) -> [Argument]? {
    guard case .member(_, let name) = callee.kind, name.text == "map", arguments.count > 1 else {
      return nil
    }
    let start = arguments[0].range.lowerBound
    var parts: [Syntax] = []
    for argument in arguments {
      guard argument.label == nil, case .keyPath(let path) = argument.value.kind else { return nil }
      parts.append(.following(path, at: argument.range))
    }
    let array = try node(.array(parts), from: start, above: parts)
    let closure = Closure(parameters: nil, body: Block(lets: [], result: array))
    return [argument(try node(.closure(closure), from: start, above: [array]))]
  }

  /// What `Publishers.Zip` and its like stand for: the operator's name.
  private static let joins = [
    "Zip": "zip", "Zip3": "zip", "Zip4": "zip", "CombineLatest": "combineLatest",
    "CombineLatest3": "combineLatest", "CombineLatest4": "combineLatest", "Merge": "merge",
    "Merge3": "merge", "Merge4": "merge", "Merge5": "merge", "Merge6": "merge", "Merge7": "merge",
    "Merge8": "merge", "MergeMany": "merge", "Concatenate": "append",
  ]

  /// `Publishers.Zip(a, b)` as `a.zip(b)`, and so on.
  private func joining(
    _ type: String,
    at range: Range<Int>,
    _ arguments: [Argument],
    from start: Int
  ) throws(Diagnostic) -> Syntax {
    if type == "Sequence", arguments.count == 1, arguments[0].label == "sequence" {
      let base = arguments[0].value
      let name = Identifier(text: "publisher", range: base.range)
      return try node(.member(base, name), from: start, above: [base])
    }
    guard let joined = Self.joins[type] else {
      throw .unknown(
        "source",
        "Publishers.\(type)",
        at: range,
        among: (Self.joins.keys + ["Sequence"]).map { "Publishers.\($0)" }.sorted(),
        instead: "expected Zip, CombineLatest, Merge, MergeMany, Sequence or Concatenate"
      )
    }
    var parts = arguments
    if type == "MergeMany", parts.count == 1, case .array(let elements) = parts[0].value.kind {
      parts = elements.map(argument)
    }
    let labels = type == "Concatenate" ? ["prefix", "suffix"] : parts.map { _ in nil }
    let number = type.last?.wholeNumberValue ?? 2
    let isFitting = type == "MergeMany" ? !parts.isEmpty : parts.count == number
    guard parts.map(\.label) == labels, isFitting else {
      if parts.count == 1, isFittingWithoutBrackets(parts[0], number) {
        throw Diagnostic(
          "Publishers.\(type) takes publishers, not an array",
          at: parts[0].range,
          suggestion: text(parts[0].range.lowerBound + 1..<parts[0].range.upperBound - 1)
        )
      }
      if let other = Self.fitting(type, arguments) {
        throw Diagnostic(
          "Publishers.\(type) takes \(number) publishers",
          at: range,
          suggestion: "Publishers.\(other)"
        )
      }
      let several = Array(repeating: "publisher", count: number).joined(separator: ", ")
      let form =
        switch type {
        case "Concatenate": "prefix: publisher, suffix: publisher"
        case "MergeMany": "publisher, …"
        default: several
        }
      throw Diagnostic("write Publishers.\(type) as Publishers.\(type)(\(form))", at: range)
    }
    guard parts.count > 1 else { return parts[0].value }
    let name = Identifier(text: joined, range: range)
    let callee = try node(.member(parts[0].value, name), from: start, above: [parts[0].value])
    var others = parts.dropFirst().map { argument($0.value) }
    if joined == "merge" {
      others[0] = Argument(label: "with", value: others[0].value, range: others[0].range)
    }
    let kind = Syntax.Kind.call(callee, others)
    return try node(kind, from: start, above: [callee] + others.map(\.value))
  }

  private func isFittingWithoutBrackets(_ argument: Argument, _ number: Int) -> Bool {
    if case .array(let elements) = argument.value.kind { elements.count == number } else { false }
  }

  /// What `Publishers.Merge` is called for so many publishers.
  private static func fitting(_ type: String, _ arguments: [Argument]) -> String? {
    let stem = type.filter { !$0.isNumber }
    guard type != "MergeMany", type != "Concatenate", arguments.allSatisfy({ $0.label == nil })
    else { return nil }
    if stem == "Merge", arguments.count == 1, case .array = arguments[0].value.kind {
      return "MergeMany"
    }
    let other = arguments.count == 2 ? stem : "\(stem)\(arguments.count)"
    return arguments.count > 1 && joins[other] != nil ? other : nil
  }

  /// The source that publishes the value of `.success(value)`, or fails with that of `.failure`.
  func outcome(_ syntax: Syntax, from start: Int) throws(Diagnostic) -> Syntax? {
    guard case .call(let callee, let arguments) = syntax.kind, arguments.count == 1,
      arguments[0].label == nil, let name = callee.outcomeName
    else { return nil }
    return try source(name == "success" ? "Just" : "Fail", arguments[0].value, from: start)
  }

  private func source(
    _ name: String,
    _ value: Syntax,
    from start: Int
  ) throws(Diagnostic) -> Syntax {
    let callee = Syntax(kind: .name(name), range: value.range, height: 1)
    return try node(.call(callee, [argument(value)]), from: start, above: [callee, value])
  }
}

extension Syntax {
  /// The case in `Result.success` or `.failure`.
  var outcomeName: String? {
    guard let name = lastName?.text, ["success", "failure"].contains(name) else { return nil }
    switch kind {
    case .implicitMember: return name
    case .member(let base, _):
      if case .name("Result") = base.kind { return name }
      return nil
    default: return nil
    }
  }
}
