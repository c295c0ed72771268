extension FieldReader {
  /// An expression: it ends at the first blank outside brackets, braces and quotes that is not
  /// followed by `.` or `{`.
  ///
  /// Whatever does not balance reaches to the end of the line, for the language to complain about.
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

  /// All that is left of the line as one expression.
  mutating func lastExpression() -> Expression? {
    skipBlanks()
    var end = unsafe line.count
    while end > place, unsafe line[end - 1].isBlank { end -= 1 }
    defer { place = unsafe line.count }
    return expression(place..<end)
  }

  /// Inside quotes only the end, an escape and an interpolation mean anything.
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
