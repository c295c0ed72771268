/// Texts as a line of the protocol holds them.
enum OneLine {
  /// An expression with blanks in place of its line breaks, but for those within strings, where the
  /// language has none.
  static func joining(_ expression: String) -> String {
    guard expression.utf8.contains(where: isBreak) else { return expression }
    var bytes = Array(expression.utf8)
    // The quotes, and the interpolations and their parentheses within, that are open.
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
  /// Its beginning, at most `count` bytes with a sign if the text is cut.
  func shortened(toBytes count: Int) -> String {
    guard utf8.count > count else { return self }
    let sign = "…"
    guard count >= sign.utf8.count else { return "" }
    var end = utf8.index(startIndex, offsetBy: count - sign.utf8.count)
    while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return self[..<end] + sign
  }
}
