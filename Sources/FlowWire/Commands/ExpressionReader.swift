extension FieldReader {
  /// Reads an expression, up to the first blank outside brackets, braces and quotes.
  ///
  /// A blank before `.` or `{` does not end it. An unbalanced expression extends to the end of the
  /// line; the language reports the error.
  mutating func expression() -> Expression? {
    skipBlanks()
    let start = place
    var open: [UInt8] = []
    while let byte = next {
      if open.last == .quote {
        readQuoted(byte, &open)
      } else if byte.isBlank, open.isEmpty {
        let end = place
        skipBlanks()
        if next != .dot, next != .openBrace {
          place = end
          break
        }
      } else {
        switch byte {
        case .quote, .openParenthesis, .openBracket, .openBrace: open.append(byte)
        case .closeParenthesis, .closeBracket, .closeBrace: _ = open.popLast()
        default: break
        }
        place += 1
      }
    }
    return expression(start..<place)
  }

  /// Reads the rest of the line as one expression.
  mutating func lastExpression() -> Expression? {
    skipBlanks()
    var end = unsafe line.count
    while end > place, unsafe line[end - 1].isBlank { end -= 1 }
    defer { place = unsafe line.count }
    return expression(place..<end)
  }

  /// Handles a byte inside quotes: only the closing quote, an escape and an interpolation count.
  private mutating func readQuoted(_ byte: UInt8, _ open: inout [UInt8]) {
    place += 1
    if byte == .quote {
      open.removeLast()
    } else if byte == .backslash, let escape = next {
      if escape == .openParenthesis { open.append(escape) }
      place += 1
    }
  }

  private func expression(_ range: Range<Int>) -> Expression? {
    guard !range.isEmpty else { return nil }
    return unsafe Expression(
      String(decoding: line[range], as: UTF8.self),
      column: column(of: range.lowerBound)
    )
  }
}
