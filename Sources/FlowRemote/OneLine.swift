/// Converts texts to single lines.
enum OneLine {
  /// Replaces line breaks of an expression with blanks, except in strings, where they are invalid.
  static func joining(_ expression: String) -> String {
    guard expression.utf8.contains(where: isBreak) else { return expression }
    var bytes = Array(expression.utf8)
    // The open quotes, and within them the open interpolations and parentheses.
    var open: [UInt8] = []
    var place = 0
    while place < bytes.count {
      let byte = bytes[place]
      switch (byte, open.last == quote) {
      case (quote, true): open.removeLast()
      case (quote, false): open.append(quote)
      case (UInt8(ascii: "\\"), true):
        place += 1
        if place < bytes.count, bytes[place] == parenthesis { open.append(parenthesis) }
      case (parenthesis, false) where !open.isEmpty: open.append(parenthesis)
      case (UInt8(ascii: ")"), false): _ = open.popLast()
      case (_, false) where isBreak(byte): bytes[place] = UInt8(ascii: " ")
      default: break
      }
      place += 1
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let quote = UInt8(ascii: "\"")
  private static let parenthesis = UInt8(ascii: "(")

  private static func isBreak(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }
}

extension String {
  /// Cuts the text to `count` bytes, including the mark of the cut.
  func shortened(toBytes count: Int) -> String {
    guard utf8.count > count else { return self }
    let sign = "…"
    guard count >= sign.utf8.count else { return "" }
    var end = utf8.index(startIndex, offsetBy: count - sign.utf8.count)
    while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return self[..<end] + sign
  }
}
