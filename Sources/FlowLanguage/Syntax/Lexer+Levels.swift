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
    // They are ASCII, all of them.
    let bytes = characters[start..<end].compactMap(\.asciiValue)
    guard end > word, bytes.contains(where: { $0 == Self.slash || $0 == Self.star }) else {
      return false
    }
    try spend(bytes.count / 16)
    if isDeclared(String(characters[start..<word])) { return false }
    let text = String(decoding: bytes, as: UTF8.self)
    let hasStarLevel = zip(bytes, bytes.dropFirst()).contains { $0 == (Self.slash, Self.star) }
    // A sign by itself may be an argument: `reduce(1, *)`.
    if text == "*", !tokens.isEmpty { return false }
    let mayBePattern = closures.isEmpty || hasStarLevel || isBody(upTo: end, behind: tokens)
    if mayBePattern, NamePattern.isPattern(text) {
      position = end
      return true
    }
    if let known = try knownName(in: bytes, from: start) {
      position = known
      return true
    }
    // Where values stand, what is no name is for the parser to tell.
    guard closures.isEmpty else { return false }
    if NameGrammar.isName(text) {
      position = end
      return true
    }
    guard !text.hasSuffix("//"), !hasStarLevel || text.contains("/**") || word == start else {
      return false
    }
    throw Self.noName(text, at: start..<end)
  }

  /// Whether a pattern may begin with the `*` that is here: nothing stands before it that could be
  /// multiplied.
  func mayBeginPattern(behind tokens: [Lexeme]) -> Bool {
    guard closures.isEmpty else { return beginsBody(behind: tokens) }
    return switch tokens.last?.kind {
    case nil, .symbol("("), .symbol(","), .symbol(":"): true
    default: false
    }
  }

  /// Whether what stands in a closure begins here.
  private func beginsBody(behind tokens: [Lexeme]) -> Bool {
    tokens.last?.kind == .symbol("{") || tokens.last?.kind == .identifier("in")
  }

  /// Whether a pattern up to `end` is what stands in a closure, or its source: nothing before it and
  /// nothing behind it could be a factor.
  private func isBody(upTo end: Int, behind tokens: [Lexeme]) -> Bool {
    guard beginsBody(behind: tokens) else { return false }
    let next = characters[end..<self.end].first { !$0.isWhitespace }
    return next == nil || next == "}" || next == "."
  }

  private static func noName(_ text: String, at range: Range<Int>) -> Diagnostic {
    let levels = text.split(separator: "/").joined(separator: "/")
    guard levels != text, NameGrammar.isName(levels) || NamePattern.isPattern(levels) else {
      return Diagnostic("\"\(text.excerpt())\" is neither a name nor a pattern of names", at: range)
    }
    return Diagnostic("a name has no empty levels", at: range, suggestion: levels)
  }

  /// Whether a word that ends here may be the beginning of more.
  private func goesOn(at place: Int) -> Bool {
    guard place < end else { return false }
    let character = characters[place]
    return character == "/" || character == "*" || character == "-"
  }

  /// Where the letters, digits and signs end that names with levels and patterns are made of, or where
  /// they are too many for one.
  func endOfLevels(from start: Int) -> Int {
    let limit = min(self.end, start + NameGrammar.longest + 2)
    var end = start
    while end < limit, Self.isInLevels(characters[end]) { end += 1 }
    return end
  }

  private static func isInLevels(_ character: Character) -> Bool {
    guard character.isASCII else { return false }
    return character.isLetter || character.isNumber || "_-/*".contains(character)
  }

  private static let slash = UInt8(ascii: "/")
  private static let star = UInt8(ascii: "*")

  /// The end of the longest name with levels that is known.
  private mutating func knownName(
    in bytes: [UInt8],
    from start: Int
  ) throws(Diagnostic) -> Int? {
    guard let separator = bytes.firstIndex(of: Self.slash) else { return nil }
    // No name goes on behind a star.
    let stop = bytes.firstIndex(of: Self.star) ?? bytes.count
    var last = bytes.count
    while last > separator + 1 {
      if last <= stop {
        let name = String(decoding: bytes[..<last], as: UTF8.self)
        if NameGrammar.isName(name), try isKnown(name) { return start + last }
      }
      guard let cut = bytes[..<last].lastIndex(where: Self.dividesWords) else { break }
      last = cut
    }
    return nil
  }

  private static func dividesWords(_ byte: UInt8) -> Bool {
    byte == slash || byte == star || byte == UInt8(ascii: "-")
  }

  // MARK: What closures declare

  private func isDeclared(_ word: String) -> Bool { declarations[word] != nil }

  /// Remembers, with the last of `tokens`, which words stand for values of a closure.
  mutating func noteDeclarations(_ tokens: [Lexeme]) {
    guard readsLevels else { return }
    switch tokens.last?.kind {
    case .symbol("{"): closures.append([])
    case .symbol("}"): leaveClosure()
    case .identifier("in") where current != ":":
      declareParameters(before: tokens.count - 1, of: tokens)
    case .identifier(let word) where !closures.isEmpty: if isOfLet(tokens) { declare(word) }
    default: break
    }
  }

  /// Whether the last of `tokens` stands behind a `let`, or in the parentheses behind one.
  private func isOfLet(_ tokens: [Lexeme]) -> Bool {
    let before = tokens.dropLast()
    if before.last?.kind == .identifier("let") { return true }
    for index in before.indices.suffix(32).reversed() {
      switch tokens[index].kind {
      case .symbol("("): return index > 0 && tokens[index - 1].kind == .identifier("let")
      case .symbol(","), .identifier: break
      default: return false
      }
    }
    return false
  }

  /// Takes the words since the brace for parameters; there may be types among them.
  private mutating func declareParameters(before end: Int, of tokens: [Lexeme]) {
    for token in tokens[..<end].suffix(Self.longestParameters).reversed() {
      switch token.kind {
      case .symbol("{"): return
      case .identifier(let word): declare(word)
      default: break
      }
    }
  }

  /// More tokens than the parameters of a closure ever have, with their types.
  private static let longestParameters = 64

  private mutating func declare(_ word: String) {
    guard let last = closures.indices.last, closures[last].insert(word).inserted else { return }
    declarations[word, default: 0] += 1
  }

  private mutating func leaveClosure() {
    for word in closures.popLast() ?? [] {
      declarations[word] = declarations[word].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
  }
}
