/// Walks over lines of a file and keeps account of brackets and quotes.
struct LineScanner {
  private var open: [Character] = []

  /// Whether what comes next stands inside brackets.
  var isInside: Bool { !open.isEmpty }

  /// Walks over a line.
  ///
  /// - Returns: where a comment begins: a `#` at the start or behind a blank, outside of quotes.
  mutating func scan(_ line: [Character], from start: Int = 0) -> Int? {
    var index = start
    defer { dropQuotes() }
    while index < line.count {
      let character = line[index]
      if open.last == "\"" {
        if character == "\"" {
          open.removeLast()
        } else if character == "\\" {
          index += 1
          if index < line.count, line[index] == "(" { open.append("(") }
        }
      } else {
        switch character {
        case "#" where index == 0 || line[index - 1].isWhitespace: return index
        case "\"", "(", "[", "{": open.append(character)
        case ")", "]", "}": _ = open.popLast()
        default: break
        }
      }
      index += 1
    }
    return nil
  }

  /// A quote never goes on in the next line; whoever reads the text complains about it.
  private mutating func dropQuotes() {
    while let quote = open.firstIndex(of: "\"") { open.removeSubrange(quote...) }
  }
}
