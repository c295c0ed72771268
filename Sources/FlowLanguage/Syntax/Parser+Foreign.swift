// What is said where a text goes on as Swift or another language would.

extension Parser {
  /// What stands at the token at hand, or right before it, and has no place in a pipeline.
  var foreign: Diagnostic? {
    if case .symbol(let sign) = token.kind, let diagnostic = foreign(sign) { return diagnostic }
    if let diagnostic = foreignWord { return diagnostic }
    if let range = signs("-", "-", before: position) {
      return Diagnostic("values cannot be changed; use - 1", at: range)
    }
    // Of `guard let` the first is the one that is missing.
    let places = [position, position - 1]
    for place in peekWord("let") ? places.reversed() : places where place >= 0 {
      guard case .identifier(let word) = tokens[place].kind, let hint = Self.hints[word],
        place == position || depth == 0 || !["let", "return"].contains(word)
      else { continue }
      return Diagnostic("\"\(word)\" is not supported: \(hint)", at: tokens[place].range)
    }
    return nil
  }

  /// What is said of `and` and its like, and of a time as `100ms`.
  private var foreignWord: Diagnostic? {
    for place in [position, position - 1] where place >= 0 {
      let token = tokens[place]
      guard case .identifier(let word) = token.kind else { continue }
      if let sign = ["and": "&&", "or": "||", "not": "!", "then": "?"][word] {
        return Diagnostic("there is no word \"\(word)\"", at: token.range, suggestion: sign)
      }
    }
    let units = ["s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"]
    guard case .identifier(let word) = token.kind, let unit = units[word], position > 0 else {
      return nil
    }
    let number = tokens[position - 1].range
    guard characters[number.lowerBound].isNumber, number.upperBound == token.range.lowerBound else {
      return nil
    }
    return Diagnostic(
      "numbers have no units",
      at: number.lowerBound..<token.range.upperBound,
      suggestion: ".\(unit)(\(text(number)))"
    )
  }

  private func foreign(_ sign: String) -> Diagnostic? {
    let next = tokens[min(position + 1, tokens.count - 1)]
    let isJoined = next.range.lowerBound == token.range.upperBound
    switch sign {
    case ":", ".": return misspelt(sign)
    case "," where position >= 2 && tokens[position - 2].kind == .symbol("{"):
      let message = "parameters are names; take a tuple apart with let (a, b) = pair"
      return Diagnostic(message, at: token.range)
    case "=": return assignment(isReversed: next.kind == .symbol(">"))
    case "'", "‘", "’", "“", "”", "«", "»", "„":
      return Diagnostic("write a string in double quotes, \"…\"", at: token.range)
    case "&":
      if isJoined, case .symbol(let sign) = next.kind, ["+", "-", "*"].contains(sign) {
        let place = token.range.lowerBound..<next.range.upperBound
        return Diagnostic("\(sign) already fails on overflow", at: place, suggestion: sign)
      }
      if isJoined, case .identifier = next.kind {
        return Diagnostic("values cannot be passed by reference", at: token.range)
      }
      return meaningless("&&")
    case "|": return closure(behind: position - 1) ?? joining ?? meaningless("||")
    case "^", "~": return Diagnostic("bitwise operators are not supported", at: token.range)
    case "<", ">":
      if let range = signs("<", ">", before: position + 1) {
        return Diagnostic("there is no operator \"<>\"", at: range, suggestion: "!=")
      }
      if let range = signs("-", ">", before: position + 1) {
        return Diagnostic("write a closure as { value in … }", at: range)
      }
      guard let range = signs(sign, sign, before: position + 1) else { return nil }
      return Diagnostic("bitwise operators are not supported", at: range)
    case "+":
      guard let range = signs(sign, sign, before: position + 1) else { return nil }
      return Diagnostic("values cannot be changed; use + 1", at: range)
    default: return Lexer.symbols.contains(Array(sign)) ? nil : meaningless(nil)
    }
  }

  /// What is said of a sign between publishers, as a shell has it.
  private var joining: Diagnostic? {
    guard depth == 0 else { return nil }
    return Diagnostic("stages follow a dot, as in taps.map { $0 }", at: token.range)
  }

  /// What is said of `{ a => …` and `{ |a| …`, where the bracket is the token at `bracket`.
  private func closure(behind bracket: Int) -> Diagnostic? {
    guard bracket >= 0, [.symbol("{"), .symbol("(")].contains(tokens[bracket].kind) else {
      return nil
    }
    let place = bracket + 1 == position ? position + 1 : bracket + 1
    guard case .identifier(let name) = tokens[place].kind else { return nil }
    return Diagnostic("write a closure as { \(name) in … }", at: token.range)
  }

  /// What is said of `?:` and `1..5`, and of an object in braces.
  private func misspelt(_ sign: String) -> Diagnostic? {
    if let range = signs("?", ":", before: position + 1) {
      return Diagnostic("there is no operator \"?:\"", at: range, suggestion: "??")
    }
    if let range = signs(".", ".", before: position + 1),
      case .int = tokens[min(position + 1, tokens.count - 1)].kind
    {
      return Diagnostic("there is no operator \"..\"", at: range, suggestion: "...")
    }
    guard sign == ":", position >= 2, tokens[position - 2].kind == .symbol("{") else { return nil }
    switch tokens[position - 1].kind {
    case .string, .identifier:
      let place = tokens[position - 2].range.lowerBound..<token.range.upperBound
      return Diagnostic("write an object as [\"key\": value]", at: place)
    default: return nil
    }
  }

  /// What is said of `=`, and of `+=` and its like.
  private func assignment(isReversed: Bool) -> Diagnostic {
    if depth == 0 {
      return Diagnostic("name a pipeline with PIPELINE NAME = …", at: token.range)
    }
    for sign in ["+", "-", "*", "/", "%", "&&", "||", "??"] {
      guard let range = signs(sign, "=", before: position + 1) else { continue }
      return Diagnostic("values cannot be changed; a \(sign) b makes a new one", at: range)
    }
    if isReversed, let diagnostic = closure(behind: position - 2) { return diagnostic }
    let suggestion = isReversed ? ">=" : "=="
    return Diagnostic("values cannot be assigned", at: token.range, suggestion: suggestion)
  }

  /// The place of two signs right before the token at `end`, with nothing between them.
  private func signs(_ first: String, _ second: String, before end: Int) -> Range<Int>? {
    guard end >= 2, tokens[end - 2].kind == .symbol(first), tokens[end - 1].kind == .symbol(second),
      tokens[end - 2].range.upperBound == tokens[end - 1].range.lowerBound
    else { return nil }
    return tokens[end - 2].range.lowerBound..<tokens[end - 1].range.upperBound
  }

  private func meaningless(_ suggestion: String?) -> Diagnostic {
    let message = "unexpected \"\(text(token.range))\""
    return Diagnostic(message, at: token.range, suggestion: suggestion)
  }

  /// What there is instead of Swift's statements and keywords.
  private static let hints = [
    "throw": "use fail(\"text\"), which fails the stage",
    "try": "any closure may fail",
    "await": "use flatMap { ask(service, $0) }, which waits for an answer",
    "async": "use flatMap { ask(service, $0) }, which waits for an answer",
    "as": "values have no types",
    "is": "values have no types; use if let a = …, which holds unless the value is null",
    "var": "use let",
    "let": "it is allowed at the beginning of a closure; name a pipeline with PIPELINE NAME = …",
    "return": "it is allowed only before the last expression of a closure",
    "for": "use map, filter or reduce",
    "while": "use map, filter or reduce",
    "repeat": "use map, filter or reduce",
    "do": "use the operator catch { … }",
    "defer": "closures have no side effects",
    "guard": "use if … { } else { }",
    "func": "write a closure where it is used",
    "struct": "write an object as [\"key\": value]",
    "class": "write an object as [\"key\": value]",
    "enum": "write an object as [\"key\": value]",
    "import": "everything is available without it",
    "self": "use the name alone",
    "inout": "values cannot be passed by reference",
    "where": "use an if inside the case",
  ]

  /// Refuses a word of Swift's that cannot be a name where it stands.
  func checkKeyword(_ word: String) throws(Diagnostic) {
    let next = tokens[position + 1]
    let isStatement: Bool =
      switch (word, next.kind) {
      case ("do", .symbol("{")), ("repeat", .symbol("{")), ("defer", .symbol("{")),
        ("async", .symbol("{")),
        ("class", .identifier), ("try", .symbol("?")), ("try", .symbol("!")),
        ("self", .symbol(".")), ("self", .symbol("?")):
        true
      default: false
      }
    guard isStatement, let hint = Self.hints[word] else { return }
    throw Diagnostic("\"\(word)\" is not supported: \(hint)", at: token.range)
  }

  /// Refuses `[weak self] in`, where the closure's brace has been read.
  func checkCaptures() throws(Diagnostic) {
    guard peek("["), case .identifier(let word) = tokens[position + 1].kind,
      ["weak", "unowned"].contains(word), case .identifier = tokens[position + 2].kind
    else { return }
    let range = token.range.lowerBound..<tokens[position + 2].range.upperBound
    throw Diagnostic("closures have no capture list; remove [\(word) …]", at: range)
  }

  /// Refuses `case let a` and `case .some(a)`.
  func checkPattern() throws(Diagnostic) {
    guard peekWord("let") || peekWord("var") || peek(".") || peekWord("is") || peek("(") else {
      return
    }
    throw Diagnostic(
      "a case is a literal or a range of literals; use if let a = … to bind a value",
      at: token.range
    )
  }

  /// Refuses an operator that no pipeline has, before what stands in its parentheses.
  func checkOperator(_ name: Identifier) throws(Diagnostic) {
    // Inside of brackets it may be a member of a value.
    guard depth == 1, peek("(") || peek("{"), let hint = OperatorTable.hints[name.text] else {
      return
    }
    throw Diagnostic("\(name.text) is not available in a pipeline: \(hint)", at: name.range)
  }
}
