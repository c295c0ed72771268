/// Cuts a pipeline's text into tokens.
struct Lexer {
  let characters: [Character]
  private var position: Int
  private let end: Int
  /// Whether a word with hyphens is one name.
  private let isName: (String) -> Bool

  private static let symbols = [
    "...", "..<", "??", "&&", "||", "==", "!=", "<=", ">=", "(", ")", "{", "}", "[", "]", ",", ":",
    ".", "+", "-", "*", "/", "%", "<", ">", "!", "?", "=", ";", "\\",
  ].map(Array.init)

  init(
    _ characters: [Character],
    in range: Range<Int>,
    isName: @escaping (String) -> Bool
  ) {
    self.characters = characters
    self.isName = isName
    position = range.lowerBound
    end = range.upperBound
  }

  /// All tokens, the last of which is the end.
  mutating func tokens() throws(Diagnostic) -> [Token] {
    var tokens: [Token] = []
    while true {
      let newline = skipSpace()
      let start = position
      guard start < end else {
        tokens.append(Token(kind: .end, range: end..<end, startsLine: newline))
        return tokens
      }
      let kind = try next()
      tokens.append(Token(kind: kind, range: start..<position, startsLine: newline))
    }
  }

  private var current: Character? { position < end ? characters[position] : nil }

  private mutating func skipSpace() -> Bool {
    var newline = false
    while let character = current, character.isWhitespace {
      newline = newline || character.isNewline
      position += 1
    }
    return newline
  }

  private mutating func next() throws(Diagnostic) -> Token.Kind {
    let start = position
    let character = characters[start]
    if character.isLetter || character == "_" { return .identifier(name()) }
    if character.isDigit { return try number() }
    if character == "\"" { return .string(try string()) }
    if character == "$" {
      position += 1
      let digits = word()
      if digits.first?.isLetter ?? false { return .identifier("$" + digits) }
      guard let index = Int(digits), index < 8 else {
        throw Diagnostic("a parameter is written $0, $1, …", at: start..<position)
      }
      return .parameter(index)
    }
    for symbol in Self.symbols
    where start + symbol.count <= end
      && characters[start..<start + symbol.count].elementsEqual(symbol)
    {
      position += symbol.count
      return .symbol(String(symbol))
    }
    if "'‘’“”«»„".contains(character) {
      throw Diagnostic("a string has the quotes \"…\"", at: start..<start + 1)
    }
    throw Diagnostic(
      "\"\(character)\" has no meaning here",
      at: start..<start + 1,
      suggestion: character == "&" || character == "|" ? "\(character)\(character)" : nil
    )
  }

  private mutating func word() -> String {
    let start = position
    while let character = current, character.isLetter || character.isDigit || character == "_" {
      position += 1
    }
    return String(characters[start..<position])
  }

  /// A word, or several with hyphens between them that are known to be one name.
  private mutating func name() -> String {
    let start = position
    _ = word()
    var end = position
    while current == "-" {
      position += 1
      guard !word().isEmpty else { break }
      if isName(String(characters[start..<position])) { end = position }
    }
    position = end
    return String(characters[start..<end])
  }

  private mutating func digits() {
    while let character = current, character.isDigit || character == "_" { position += 1 }
  }

  private mutating func number() throws(Diagnostic) -> Token.Kind {
    let start = position
    var whole = true
    digits()
    if current == ".", position + 1 < end, characters[position + 1].isDigit {
      whole = false
      position += 1
      digits()
    }
    if current == "e" || current == "E" {
      whole = false
      position += 1
      if current == "+" || current == "-" { position += 1 }
      digits()
    }
    let text = String(characters[start..<position].filter { $0 != "_" })
    if whole, let number = Int(text) { return .int(number) }
    if !whole, let number = Double(text), number.isFinite { return .double(number) }
    throw Diagnostic("\"\(text)\" is no number that fits", at: start..<position)
  }
}

// MARK: - Strings

extension Lexer {
  private mutating func string() throws(Diagnostic) -> [Token.Segment] {
    let start = position
    var segments: [Token.Segment] = []
    var text = ""
    position += 1
    while let character = current {
      position += 1
      switch character {
      case "\"":
        if !text.isEmpty || segments.isEmpty { segments.append(.text(text)) }
        return segments
      case "\\":
        if current == "(" {
          if !text.isEmpty { segments.append(.text(text)) }
          text = ""
          segments.append(.expression(try interpolation()))
        } else {
          text.append(try escape())
        }
      default: text.append(character)
      }
    }
    throw Diagnostic("the string has no closing quote", at: start..<end)
  }

  private mutating func escape() throws(Diagnostic) -> Character {
    let start = position - 1
    let character = current
    position = min(position + 1, end)
    switch character {
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "0": return "\0"
    case "\"", "\\", "'", "/": return character ?? "\\"
    case "u":
      let digits = current == "{" ? characters[position + 1..<end].prefix { $0 != "}" } : []
      if let number = UInt32(String(digits), radix: 16), let scalar = Unicode.Scalar(number),
        position + digits.count + 1 < end
      {
        position += digits.count + 2
        return Character(scalar)
      }
    default: break
    }
    throw Diagnostic("the escape is not known", at: start..<position)
  }

  /// The place of the expression between the parentheses that begin here.
  private mutating func interpolation() throws(Diagnostic) -> Range<Int> {
    let start = position + 1
    // How many parentheses are open, in this one and in those of the strings within.
    var open = [0]
    var isQuoted = false
    while let character = current {
      position += 1
      switch character {
      case "\\" where isQuoted:
        if current == "(" {
          open.append(0)
          isQuoted = false
        } else {
          position = min(position + 1, end)
        }
      case "\"": isQuoted.toggle()
      case "(" where !isQuoted: open[open.count - 1] += 1
      case ")" where !isQuoted:
        open[open.count - 1] -= 1
        guard open.last == 0 else { continue }
        open.removeLast()
        if open.isEmpty { return start..<position - 1 }
        isQuoted = true
      default: break
      }
    }
    throw Diagnostic("the interpolation has no closing parenthesis", at: start - 2..<end)
  }
}

extension Character {
  fileprivate var isDigit: Bool { self >= "0" && self <= "9" && isASCII }
}
