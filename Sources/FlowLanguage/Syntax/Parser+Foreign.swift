import Spelling

// Messages about the spellings of Swift and other languages.

extension Parser {
  /// The message about a foreign spelling at the current token or right before it.
  var foreign: Diagnostic? {
    if case .symbol(let sign) = token.kind, let diagnostic = foreign(sign) { return diagnostic }
    if let diagnostic = foreignWord { return diagnostic }
    if let range = signs("-", "-", before: position) {
      return Diagnostic("values cannot be changed; use - 1", at: range)
    }
    // Of `guard let` the first is the one that is missing.
    let places = [position, position - 1]
    for place in peekWord("let") ? places.reversed() : places where place >= 0 {
      guard let (word, row) = row(at: place),
        place == position || depth == 0 || !["let", "return"].contains(word.text)
      else { continue }
      return row.diagnostic(word)
    }
    return nil
  }

  /// The error for a text that begins like a statement of SQL; nil for any other.
  var query: Diagnostic? {
    guard case .identifier(let word) = token.kind, Self.verbsOfQueries.contains(word.uppercased())
    else { return nil }
    switch tokens[position + 1].kind {
    case .identifier, .int, .symbol("*"):
      return Diagnostic("\"\(word)\" begins no pipeline: \(Self.form)", at: token.range)
    default: return nil
    }
  }

  /// The error for a token that follows a complete expression.
  var behindTheEnd: Diagnostic {
    let mistake = unexpected("the end of the expression")
    guard foreign == nil, depth == 0, case .identifier = token.kind else { return mistake }
    return Diagnostic("\(mistake.message): \(Self.form)", at: token.range)
  }

  private static let verbsOfQueries: Set = [
    "SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "WITH",
  ]

  private static let form =
    "a pipeline is a source with stages behind dots, as in taps.filter { $0 > 1 }.map { $0 * 2 }"

  /// The row of the word at a place, if it is one of another language.
  private func row(at place: Int) -> (word: Identifier, row: ForeignWord)? {
    guard case .identifier(let word) = tokens[place].kind, let row = ForeignWord.row(word, .sign)
    else { return nil }
    return (Identifier(text: word, range: tokens[place].range), row)
  }

  /// The message about `and` and similar words, and about a time such as `100ms`.
  var foreignWord: Diagnostic? {
    for place in [position, position - 1] where place >= 0 {
      if let (word, row) = row(at: place), row.isPasteable { return row.diagnostic(word) }
    }
    let units = [
      "h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds", "us": "microseconds",
      "ns": "nanoseconds",
    ]
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
      return foreignSign("&", at: token.range)
    case "|": return closure(behind: position - 1) ?? joining ?? meaningless("||")
    case "^", "~": return Diagnostic("bitwise operators are not supported", at: token.range)
    case "<", ">":
      if let range = signs("<", ">", before: position + 1) { return foreignSign("<>", at: range) }
      if let range = signs("-", ">", before: position + 1) {
        let names = parameters(before: position - 1) ?? "value"
        return Diagnostic("write a closure as { \(names.excerpt()) in … }", at: range)
      }
      guard let range = signs(sign, sign, before: position + 1) else { return nil }
      return Diagnostic("bitwise operators are not supported", at: range)
    case "+":
      guard let range = signs(sign, sign, before: position + 1) else { return nil }
      return Diagnostic("values cannot be changed; use + 1", at: range)
    default: return Lexer.symbols.contains(Array(sign)) ? nil : meaningless(nil)
    }
  }

  /// The message about a sign that joins publishers as in a shell.
  private var joining: Diagnostic? {
    guard depth == 0 else { return nil }
    return Diagnostic("stages follow a dot, as in taps.map { $0 }", at: token.range)
  }

  /// Returns the message about `{ a => …` or `{ |a| …`; `bracket` is the index of the bracket.
  private func closure(behind bracket: Int) -> Diagnostic? {
    guard bracket >= 0, [.symbol("{"), .symbol("(")].contains(tokens[bracket].kind) else {
      return nil
    }
    let place = bracket + 1 == position ? position + 1 : bracket + 1
    guard case .identifier(let name) = tokens[place].kind else { return nil }
    return Diagnostic("write a closure as { \(name.excerpt()) in … }", at: token.range)
  }

  /// The names of `a` and `(a, b)` before an arrow that begins at `end`.
  private func parameters(before end: Int) -> String? {
    guard end > 1 else { return nil }
    if case .identifier(let name) = tokens[end - 1].kind {
      return [.symbol("{"), .symbol("("), .symbol(",")].contains(tokens[end - 2].kind) ? name : nil
    }
    guard tokens[end - 1].kind == .symbol(")") else { return nil }
    var names: [String] = []
    for token in tokens[..<(end - 1)].reversed() {
      switch token.kind {
      case .identifier(let name): names.insert(name, at: 0)
      case .symbol(","): break
      case .symbol("("): return names.isEmpty ? nil : names.joined(separator: ", ")
      default: return nil
      }
    }
    return nil
  }

  /// Returns the message about a sign of another language.
  private func foreignSign(_ sign: String, at range: Range<Int>) -> Diagnostic? {
    ForeignWord.row(sign, .sign)?.diagnostic(Identifier(text: sign, range: range))
  }

  /// Returns the message about `a ** b`; the current token is the second `*`, and `a` begins at `start`.
  mutating func power(from start: Int) throws(Diagnostic) -> Diagnostic {
    let signs = tokens[position - 1].range.lowerBound..<token.range.upperBound
    let base = text(start..<tokens[position - 2].range.upperBound)
    advance()
    let first = token.range.lowerBound
    _ = try infix(above: Self.precedences["*"] ?? 0)
    let end = tokens[position - 1].range.upperBound
    let call = ForeignCall(base: base, arguments: [text(first..<end)])
    let name = Identifier(text: "**", range: signs)
    return ForeignWord.row("**", .sign)?.diagnostic(name, call, from: start, to: end)
      ?? meaningless(nil)
  }

  /// Returns the message about `[...a, b]`; the current token is the dots, and the bracket is at `start`.
  mutating func spread(from start: Int) throws(Diagnostic) -> Diagnostic {
    let dots = token.range
    var parts = ForeignCall.parts(text(start + 1..<dots.lowerBound)[...])
      .map { (text: $0, isSpread: false) }
    while !peek("]") {
      let isSpread = read("...")
      let first = token.range.lowerBound
      _ = try expression()
      parts.append((text(first..<tokens[position - 1].range.upperBound), isSpread))
      guard read(",") else { break }
    }
    try expect("]")
    let end = tokens[position - 1].range.upperBound
    let whole = parts.map { $0.isSpread ? $0.text : "[\($0.text)]" }.joined(separator: " + ")
    let call = ForeignCall(arguments: [parts.count == 1 ? whole : "(\(whole))"])
    let name = Identifier(text: "...", range: dots)
    return ForeignWord.row("[...array]", .sign)?.diagnostic(name, call, from: start, to: end)
      ?? meaningless(nil)
  }

  /// Returns the message about `?:`, `1..5` or an object in braces.
  private func misspelt(_ sign: String) -> Diagnostic? {
    if let range = signs("?", ":", before: position + 1) {
      return foreignSign("?:", at: range)
    }
    if let range = signs(".", ".", before: position + 1),
      case .int = tokens[min(position + 1, tokens.count - 1)].kind
    {
      return foreignSign("..", at: range)
    }
    guard sign == ":", position >= 2, tokens[position - 2].kind == .symbol("{") else { return nil }
    switch tokens[position - 1].kind {
    case .string, .identifier:
      let place = tokens[position - 2].range.lowerBound..<token.range.upperBound
      return Diagnostic("write an object as [\"key\": value]", at: place)
    default: return nil
    }
  }

  /// Returns the message about `=`, or about `+=` and similar signs.
  private func assignment(isReversed: Bool) -> Diagnostic {
    for (first, whole) in [("==", "==="), ("!=", "!==")] {
      guard let range = signs(first, "=", before: position + 1) else { continue }
      if let diagnostic = foreignSign(whole, at: range) { return diagnostic }
    }
    if depth == 0 {
      return Diagnostic("name a pipeline with PIPELINE NAME = …", at: token.range)
    }
    for sign in ["+", "-", "*", "/", "%", "&&", "||", "??"] {
      guard let range = signs(sign, "=", before: position + 1) else { continue }
      return Diagnostic("values cannot be changed; a \(sign) b makes a new one", at: range)
    }
    if isReversed, let names = parameters(before: position) {
      return Diagnostic("write a closure as { \(names.excerpt()) in … }", at: token.range)
    }
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
    let message = "unexpected \"\(text(token.range).excerpt())\""
    return Diagnostic(message, at: token.range, suggestion: suggestion)
  }

  /// Refuses a word of Swift's that cannot be a name where it stands.
  func checkKeyword(_ word: String) throws(Diagnostic) {
    let next = tokens[position + 1]
    let isStatement: Bool =
      switch (word, next.kind) {
      // At the beginning of a pipeline it is a source elsewhere.
      case ("defer", .symbol("{")): depth > 1
      case ("do", .symbol("{")), ("repeat", .symbol("{")), ("async", .symbol("{")),
        ("class", .identifier), ("try", .symbol("?")), ("try", .symbol("!")),
        ("self", .symbol(".")), ("self", .symbol("?")):
        true
      default: false
      }
    guard isStatement, let (word, row) = row(at: position) else { return }
    throw row.diagnostic(word)
  }

  /// Refuses `[weak self] in`, where the closure's brace has been read.
  func checkCaptures() throws(Diagnostic) {
    guard peek("["), case .identifier(let word) = tokens[position + 1].kind,
      ["weak", "unowned"].contains(word), case .identifier = tokens[position + 2].kind
    else { return }
    let range = token.range.lowerBound..<tokens[position + 2].range.upperBound
    throw Diagnostic("closures have no capture list; remove [\(word) …]", at: range)
  }

  /// Refuses `print($0)` before another expression.
  func checkEffect(before result: Syntax) throws(Diagnostic) {
    guard !peek("}"), case .call(var callee, _) = result.kind else { return }
    if case .member(let base, _) = callee.kind { callee = base }
    guard case .name(let name) = callee.kind, let row = ForeignWord.row(name, .function),
      !row.isPasteable
    else { return }
    throw row.diagnostic(Identifier(text: name, range: callee.range))
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
}
