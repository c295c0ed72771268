internal import Spelling

/// Cuts a pipeline's text into tokens, in a time that grows with its length: names of several words are
/// sought no further than one can be long, and not without end.
struct Lexer {
  let characters: [Character]
  var position: Int
  let end: Int
  /// Whether words with hyphens or slashes between them are one name.
  private let isName: (String) -> Bool
  private var effort = 0
  /// Whether publishers may stand here, and so names with levels.
  let readsLevels: Bool
  /// Whether the text may end anywhere, such as in a string.
  var isUnfinished = false
  /// Where the string begins that the text ends in, if it is unfinished.
  var openString: Int?
  /// The words that each closure around this place declares, the innermost last.
  var closures: [Set<String>] = []
  /// How many of the closures declare a word.
  var declarations: [String: Int] = [:]

  static let symbols = [
    "...", "..<", "??", "&&", "||", "==", "!=", "<=", ">=", "(", ")", "{", "}", "[", "]", ",", ":",
    ".", "+", "-", "*", "/", "%", "<", ">", "!", "?", "=", ";", "\\",
  ].map(Array.init)
  private static let symbolsByFirst = Dictionary(grouping: symbols) { $0[0] }

  init(
    _ characters: [Character],
    in range: Range<Int>,
    readsLevels: Bool = true,
    isName: @escaping (String) -> Bool
  ) {
    self.characters = characters
    self.readsLevels = readsLevels
    self.isName = isName
    position = range.lowerBound
    end = range.upperBound
  }

  /// All tokens, the last of which is the end.
  mutating func tokens() throws(Diagnostic) -> [Lexeme] {
    var tokens: [Lexeme] = []
    while true {
      let newline = skipSpace()
      let start = position
      guard start < end else {
        tokens.append(Lexeme(kind: .end, range: end..<end, startsLine: newline))
        return tokens
      }
      let kind = try next(behind: tokens)
      tokens.append(Lexeme(kind: kind, range: start..<position, startsLine: newline))
      noteDeclarations(tokens)
    }
  }

  var current: Character? { position < end ? characters[position] : nil }

  private mutating func skipSpace() -> Bool {
    var newline = false
    while let character = current, character.isWhitespace {
      newline = newline || character.isNewline
      position += 1
    }
    return newline
  }

  /// The token that begins here; behind a dot digits are the place in a tuple, as in `$0.1.0`.
  private mutating func next(behind tokens: [Lexeme]) throws(Diagnostic) -> Lexeme.Kind {
    let start = position
    let character = characters[start]
    if character.isLetter || character == "_" { return .identifier(try name(behind: tokens)) }
    if character.isDigit { return try number(isWhole: tokens.last?.kind == .symbol(".")) }
    if character == "*", mayBeginPattern(behind: tokens),
      try readLevels(behind: start, tokens: tokens)
    {
      return .identifier(String(characters[start..<position]))
    }
    if character == "/", tokens.isEmpty, start + 1 < end, characters[start + 1].isLetter {
      let message = "a name begins with a letter or \"_\", not with \"/\""
      throw Diagnostic(message, at: start..<start + 1)
    }
    if character == "\"" { return .string(try string()) }
    if character == "$" {
      position += 1
      let digits = word()
      if digits == "new", current == "/", readsLevels { position = endOfLevels(from: position) }
      if digits.first?.isLetter ?? false {
        return .identifier(String(characters[start..<position]))
      }
      guard let index = Int(digits), index < 8 else {
        throw Diagnostic("write a parameter as $0, $1, …", at: start..<position)
      }
      return .parameter(index)
    }
    if character == "/", let close = PatternLiteral.end(in: characters, from: start, to: end) {
      position = close
      return .pattern(String(characters[start + 1..<close - 1]))
    }
    if character == "/", start + 1 < end, "/*".contains(characters[start + 1]) {
      throw Diagnostic("comments begin with # and are allowed only in files", at: start..<start + 2)
    }
    for symbol in Self.symbolsByFirst[character] ?? []
    where start + symbol.count <= end
      && characters[start..<start + symbol.count].elementsEqual(symbol)
    {
      position += symbol.count
      return .symbol(String(symbol))
    }
    // No sign of the language: the parser says so where it stands in the way.
    position += 1
    return .symbol(String(character))
  }

  private mutating func word() -> String {
    let start = position
    while let character = current, character.isLetter || character.isDigit || character == "_" {
      position += 1
    }
    return String(characters[start..<position])
  }

  /// A word, or several with hyphens between them that are known to be one name, or a name with levels.
  private mutating func name(behind tokens: [Lexeme]) throws(Diagnostic) -> String {
    let start = position
    var text = word()
    var end = position
    position = start
    if try readLevels(behind: end, tokens: tokens) { return String(characters[start..<position]) }
    position = end
    var known = text
    while current == "-", position - start < NameGrammar.longest {
      position += 1
      let word = word()
      guard !word.isEmpty else { break }
      text += "-" + word
      if try isKnown(text) { (known, end) = (text, position) }
    }
    position = end
    return known
  }

  /// Whether several words are one name.
  ///
  /// A chain of as many parts as may be asks less often than is allowed.
  mutating func isKnown(_ name: String) throws(Diagnostic) -> Bool {
    try spend(1)
    return isName(name)
  }

  /// Counts what is done to find names of several words; 1 is to look for one.
  mutating func spend(_ effort: Int) throws(Diagnostic) {
    self.effort += effort
    guard self.effort <= 1 << 14 else {
      let message = "too many words here may be one name; put blanks around signs between values"
      throw Diagnostic(message, at: position..<position)
    }
  }

  private mutating func digits() {
    while let character = current, character.isDigit || character == "_" { position += 1 }
  }

  private mutating func number(isWhole: Bool) throws(Diagnostic) -> Lexeme.Kind {
    let start = position
    var whole = true
    digits()
    try checkRadix(from: start)
    if !isWhole, current == ".", position + 1 < end, characters[position + 1].isDigit {
      whole = false
      position += 1
      digits()
    }
    if !isWhole, current == "e" || current == "E" {
      whole = false
      position += 1
      if current == "+" || current == "-" { position += 1 }
      digits()
    }
    let text = String(characters[start..<position].filter { $0 != "_" })
    if whole, let number = Int(text) { return .int(number) }
    if whole, let number = UInt(text) { return .uint(number) }
    guard !whole, let number = Double(text) else {
      let what = whole ? "does not fit in 64 bits" : "has no digits after its \"e\""
      throw Diagnostic("the number \(what)", at: start..<position)
    }
    guard number.isFinite else {
      throw Diagnostic("the number does not fit in a Double", at: start..<position)
    }
    return .double(number)
  }

  /// Refuses `0xff` and its like.
  private mutating func checkRadix(from start: Int) throws(Diagnostic) {
    guard position == start + 1, characters[start] == "0", let letter = current,
      let radix = ["x": 16, "o": 8, "b": 2][letter]
    else { return }
    let text = word().dropFirst().filter { $0 != "_" }
    throw Diagnostic(
      "write numbers in decimal",
      at: start..<position,
      suggestion: Int(text, radix: radix).map { "\($0)" }
    )
  }
}

extension Character {
  fileprivate var isDigit: Bool { self >= "0" && self <= "9" && isASCII }
}
