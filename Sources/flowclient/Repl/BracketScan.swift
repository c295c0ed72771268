import FlowLanguage

/// Which brackets and quotes are open behind a piece of an expression.
struct BracketScan {
  struct Open: Equatable {
    let sign: Character
    let place: Int
  }

  private(set) var open: [Open] = []
  /// A closing bracket that closes nothing.
  private(set) var stray: Int?
  /// Where the opening bracket stands of the one that is closed at a place.
  private(set) var partners: [Int: Int] = [:]
  /// Where it ends: at the limit, or before a blank outside of brackets behind which no `.` or `{` is.
  private(set) var end: Int

  /// Walks over `characters` from `start` on, to the end of the expression or of the characters.
  init(_ characters: [Character], from start: Int, endsAtBlank: Bool) {
    let limit = characters.count
    var index = start
    end = limit
    while index < limit {
      let character = characters[index]
      if open.last?.sign == "\"" {
        readQuoted(characters, &index)
        continue
      }
      if character.isWhitespace, open.isEmpty, endsAtBlank {
        let next = characters[index...].firstIndex { !$0.isWhitespace }
        guard let next, ".{".contains(characters[next]) else {
          end = index
          return
        }
        index = next
        continue
      }
      if character == "/", let close = PatternLiteral.end(in: characters, from: index, to: limit) {
        index = close
        continue
      }
      switch character {
      case "\"", "(", "[", "{": open.append(Open(sign: character, place: index))
      case ")", "]", "}": close(index)
      default: break
      }
      index += 1
    }
  }

  /// A quote never goes on in the next line.
  private mutating func readQuoted(_ characters: [Character], _ index: inout Int) {
    switch characters[index] {
    case "\"", "\n": open.removeLast()
    case "\\":
      index += 1
      if index < characters.count, characters[index] == "(" {
        open.append(Open(sign: "(", place: index))
      }
    default: break
    }
    index += 1
  }

  private mutating func close(_ place: Int) {
    if let last = open.popLast() {
      partners[place] = last.place
    } else if stray == nil {
      stray = place
    }
  }

  /// Whether it ends inside brackets, not only inside quotes.
  var isInBrackets: Bool { open.contains { $0.sign != "\"" } }

  /// What closes all that is open.
  var closers: String {
    open.reversed().map { ["(": ")", "[": "]", "{": "}"][$0.sign] ?? "\"" }.joined()
  }
}
