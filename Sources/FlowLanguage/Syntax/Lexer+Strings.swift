extension Lexer {
  mutating func string() throws(Diagnostic) -> [Lexeme.Segment] {
    let start = position
    guard !characters[start..<min(end, start + 3)].elementsEqual("\"\"\"") else {
      throw Diagnostic("write a string with one quote at each end, \"…\"", at: start..<start + 3)
    }
    var segments: [Lexeme.Segment] = []
    var text = ""
    position += 1
    while let character = current {
      position += 1
      switch character {
      case "\"":
        if !text.isEmpty || segments.isEmpty { segments.append(.text(text)) }
        return segments
      case "\\" where isUnfinished && current == nil: break
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
    if isUnfinished {
      openString = start
      return segments
    }
    throw Diagnostic("the string has no closing quote", at: start..<end).marked(.unmatched)
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
    case "u": return try scalar(from: start)
    default:
      throw Diagnostic(
        "unknown escape; expected \\n \\r \\t \\0 \\\" \\' \\\\ \\/ \\u{…} or \\(…)",
        at: start..<position
      )
    }
  }

  /// The character of `\u{…}`, of which `\u` has been read.
  private mutating func scalar(from start: Int) throws(Diagnostic) -> Character {
    guard current == "{" else {
      throw Diagnostic("write a character by its number as \\u{1F600}", at: start..<position)
    }
    let first = position + 1
    let digits = characters[first..<end].prefix { $0 != "}" && $0 != "\"" }
    let place = first..<first + digits.count
    guard place.upperBound < end, characters[place.upperBound] == "}" else {
      throw Diagnostic("\\u{ has no closing brace", at: start..<place.upperBound)
        .marked(.unmatched)
    }
    if let wrong = place.first(where: { !characters[$0].isHexDigit || !characters[$0].isASCII }) {
      throw Diagnostic("\\u{…} takes hexadecimal digits", at: wrong..<wrong + 1)
    }
    guard let number = UInt32(String(digits), radix: 16), let scalar = Unicode.Scalar(number) else {
      let range = digits.isEmpty ? start..<place.upperBound + 1 : place
      throw Diagnostic("no character has this number", at: range)
    }
    position = place.upperBound + 1
    return Character(scalar)
  }

  /// The place of the expression between the parentheses that begin here; that of an unfinished one
  /// reaches to the end.
  private mutating func interpolation() throws(Diagnostic) -> Range<Int> {
    let start = position + 1
    // How many parentheses are open, in this one and in those of the strings within.
    var open = [0]
    var isQuoted = false
    while let character = current {
      if character == "/", !isQuoted,
        let close = PatternLiteral.end(in: characters, from: position, to: end)
      {
        position = close
        continue
      }
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
    if isUnfinished { return start..<end }
    throw Diagnostic("the interpolation has no closing parenthesis", at: start - 2..<end)
      .marked(.unmatched)
  }
}
