internal import FlowLanguage

/// Walks over lines of a file and keeps account of brackets and quotes.
struct LineScanner {
  private var open: [Character] = []
  /// How many of these are quotes.
  private var quotes = 0
  /// Whether the line that was walked over last ends inside quotes.
  private(set) var endsInQuotes = false

  /// Whether what comes next stands inside brackets.
  var isInside: Bool { !open.isEmpty }

  /// In how many brackets what comes next stands.
  var depth: Int { open.count }

  /// Walks over a line.
  ///
  /// - Parameters:
  ///   - line: the line.
  ///   - start: where to begin.
  ///   - visit: is called at each character outside of quotes and of regular expressions, before it
  ///     counts.
  /// - Returns: where a comment begins: a `#` at the start or behind a blank, outside of both.
  mutating func scan(
    _ line: [Character],
    from start: Int = 0,
    visit: (_ index: Int, _ depth: Int) -> Void = { _, _ in }
  ) -> Int? {
    var index = start
    defer { dropQuotes() }
    while index < line.count {
      let character = line[index]
      if open.last == "\"" {
        if character == "\"" {
          open.removeLast()
          quotes -= 1
        } else if character == "\\" {
          index += 1
          if index < line.count, line[index] == "(" { open.append("(") }
        }
      } else {
        if quotes == 0 { visit(index, open.count) }
        if character == "/",
          let end = PatternLiteral.end(in: line, from: index, to: line.count)
        {
          index = end
          continue
        }
        switch character {
        case "#" where index == 0 || line[index - 1].isWhitespace: return index
        case "\"":
          open.append(character)
          quotes += 1
        case "(", "[", "{": open.append(character)
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
    let quote = open.firstIndex(of: "\"")
    endsInQuotes = quote != nil
    if let quote { open.removeSubrange(quote...) }
    quotes = 0
  }
}
