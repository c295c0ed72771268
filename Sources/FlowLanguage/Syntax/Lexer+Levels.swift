internal import Spelling

// Names with levels, `sensors/kitchen/temp`, and patterns of names. Between values `/` divides and `*`
// multiplies; so in a closure a word that it declares begins no such name.
extension Lexer {
  /// Takes a name with levels, or a pattern, if one begins here with a `*` or the word up to `end`.
  mutating func readLevels(behind word: Int, tokens: [Lexeme]) throws(Diagnostic) -> Bool {
    let start = position
    guard readsLevels, word == start || goesOn(at: word), tokens.last?.kind != .symbol(".") else {
      return false
    }
    let end = endOfLevels(from: start)
    guard end > word, characters[start..<end].contains(where: { $0 == "/" || $0 == "*" }) else {
      return false
    }
    if isDeclared(String(characters[start..<word])) { return false }
    let text = String(characters[start..<end])
    // A sign by itself may be an argument: `reduce(1, *)`.
    if text == "*", !tokens.isEmpty { return false }
    if NamePattern.isPattern(text), closures.isEmpty || text.contains("/*") {
      position = end
      return true
    }
    if let known = knownName(from: start, to: end) {
      position = known
      return true
    }
    // Where values stand, what is no name is for the parser to tell.
    guard closures.isEmpty else { return false }
    if NameGrammar.isName(text) {
      position = end
      return true
    }
    guard !text.hasSuffix("//"), !text.contains("/*") || text.contains("/**") || word == start
    else {
      return false
    }
    throw Self.noName(text, at: start..<end)
  }

  /// Whether a pattern may begin with the `*` that is here: nothing stands before it that could be
  /// multiplied.
  func mayBeginPattern(behind tokens: [Lexeme]) -> Bool {
    guard closures.isEmpty else { return false }
    return switch tokens.last?.kind {
    case nil, .symbol("("), .symbol(","), .symbol(":"): true
    default: false
    }
  }

  private static func noName(_ text: String, at range: Range<Int>) -> Diagnostic {
    let levels = text.split(separator: "/").joined(separator: "/")
    guard levels != text, NameGrammar.isName(levels) || NamePattern.isPattern(levels) else {
      return Diagnostic("\"\(text)\" is neither a name nor a pattern of names", at: range)
    }
    return Diagnostic("a name has no empty levels", at: range, suggestion: levels)
  }

  /// Whether a word that ends here may be the beginning of more.
  private func goesOn(at place: Int) -> Bool {
    guard place < end else { return false }
    let character = characters[place]
    return character == "/" || character == "*" || character == "-"
  }

  /// Where the letters, digits and signs end that names with levels and patterns are made of.
  func endOfLevels(from start: Int) -> Int {
    var end = start
    while end < self.end, Self.isInLevels(characters[end]) { end += 1 }
    return end
  }

  private static func isInLevels(_ character: Character) -> Bool {
    guard character.isASCII else { return false }
    return character.isLetter || character.isNumber || "_-/*".contains(character)
  }

  /// The end of the longest name with levels that is known.
  private func knownName(from start: Int, to end: Int) -> Int? {
    var last = end
    while last > start {
      let text = characters[start..<last]
      let name = String(text)
      if text.contains("/"), NameGrammar.isName(name), isName(name) { return last }
      guard let cut = text.lastIndex(where: { $0 == "/" || $0 == "-" || $0 == "*" }) else { break }
      last = cut
    }
    return nil
  }

  // MARK: What closures declare

  private func isDeclared(_ word: String) -> Bool { closures.contains { $0.contains(word) } }

  /// Remembers, with the last of `tokens`, which words stand for values of a closure.
  mutating func noteDeclarations(_ tokens: [Lexeme]) {
    guard readsLevels else { return }
    switch tokens.last?.kind {
    case .symbol("{"): closures.append([])
    case .symbol("}"): _ = closures.popLast()
    case .identifier("in") where current != ":":
      declareParameters(before: tokens.count - 1, of: tokens)
    case .identifier(let word) where !closures.isEmpty: if isOfLet(tokens) { declare(word) }
    default: break
    }
  }

  /// Whether the last of `tokens` stands behind a `let`, or in the parentheses behind one.
  private func isOfLet(_ tokens: [Lexeme]) -> Bool {
    var before = tokens.dropLast()
    if before.last?.kind == .identifier("let") { return true }
    for _ in 0..<32 {
      switch before.popLast()?.kind {
      case .symbol("("): return before.last?.kind == .identifier("let")
      case .symbol(","), .identifier: break
      default: return false
      }
    }
    return false
  }

  /// Takes the words since the brace for parameters; there may be types among them.
  private mutating func declareParameters(before end: Int, of tokens: [Lexeme]) {
    for token in tokens[..<end].reversed() {
      switch token.kind {
      case .symbol("{"): return
      case .identifier(let word): declare(word)
      default: break
      }
    }
  }

  private mutating func declare(_ word: String) {
    if let last = closures.indices.last { closures[last].insert(word) }
  }
}
