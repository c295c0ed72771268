internal import FlowLanguage

/// A line of a command that is too long for one line.
enum LongLine {
  /// The most characters a line should have.
  static let widest = 100

  /// The text in lines: one for each operator, and where that is not enough the body of a closure by
  /// itself.
  static func pieces(of text: [Character]) -> [[Character]] { broken(text).flatMap(unfolded) }

  /// The text in pieces that begin with the dots of its operators.
  private static func broken(_ text: [Character]) -> [[Character]] {
    var pieces: [[Character]] = []
    var start = 0
    var scanner = LineScanner()
    let begin = text.first == "." ? 0 : (ExpressionLayout.equals(of: text) ?? 0) + 2
    _ = scanner.scan(text) { index, depth in
      guard depth == 0, index > begin, text[index] == ".", index + 1 < text.count,
        !text[index - 1].isWhitespace,
        text[index + 1].isLetter, !String(text[(index + 1)...]).hasPrefix("publisher"),
        !isTypeName(text[max(begin, start)..<index])
      else { return }
      pieces.append(Array(text[start..<index]))
      start = index
    }
    return pieces + [Array(text[start...])]
  }

  /// A piece that is still too long in three: its last closure has its body on lines of its own.
  private static func unfolded(_ piece: [Character]) -> [[Character]] {
    var open: Int?
    var scanner = LineScanner()
    _ = scanner.scan(piece) { index, depth in
      if depth == 0, piece[index] == "{" { open = index }
    }
    guard piece.count + 2 > widest, piece.last == "}", let open else { return [piece] }
    var head = Array(piece[...open])
    var body = Array(piece[(open + 1)...].dropLast()).trimmed
    if let end = endOfParameters(body) {
      head += [" "] + body[..<end]
      body = Array(body[end...]).trimmed
    }
    return body.isEmpty ? [piece] : [head, body, ["}"]]
  }

  /// Where the body of a closure begins that has bare names and `in` before it.
  private static func endOfParameters(_ closure: [Character]) -> Int? {
    let words = closure.split(maxSplits: 16) { $0.isWhitespace }
    guard let last = words.firstIndex(of: ["i", "n"]), last > 0 else { return nil }
    let areNames = words[..<last].joined().allSatisfy {
      $0.isLetter || $0.isNumber || "_,".contains($0)
    }
    return areNames ? words[last].endIndex : nil
  }

  /// Whether it is a word such as `Timer` or `Publishers`, which its dot belongs to.
  private static func isTypeName(_ text: ArraySlice<Character>) -> Bool {
    text.first?.isUppercase ?? false && text.allSatisfy(\.isLetter)
  }
}

extension [Character] {
  /// Without the blanks around it.
  var trimmed: [Character] {
    let text = drop { $0.isWhitespace }
    return Array(text.reversed().drop { $0.isWhitespace }.reversed())
  }
}
