/// Where a regular expression begins and ends in a text: `/…/`, as in Swift, where an argument or
/// another expression begins, without a blank behind the first slash or before the last.
package enum PatternLiteral {
  /// What stands before an expression; behind anything else `/` divides.
  private static let openings: Set<Character> = ["(", ",", ":", "=", "{", "[", "&", "|", "<", ">"]

  /// The place behind the literal that begins at `start`, in which no line ends; `nil` if there is none.
  package static func end(in characters: [Character], from start: Int, to limit: Int) -> Int? {
    guard start + 1 < limit, !characters[start + 1].isWhitespace,
      !"/*".contains(characters[start + 1]),
      let before = characters[..<start].last(where: { !$0.isWhitespace }),
      openings.contains(before)
    else { return nil }
    var index = start + 1
    var isInSet = false
    var open = 0
    while index < limit, !characters[index].isNewline {
      switch characters[index] {
      case "\\": index += 1
      case "/": return characters[index - 1].isWhitespace ? nil : index + 1
      case "[": isInSet = true
      case "]": isInSet = false
      case "(" where !isInSet: open += 1
      case ")" where !isInSet:
        // The parenthesis of the call, as in reduce(1, /).
        guard open > 0 else { return nil }
        open -= 1
      default: break
      }
      index += 1
    }
    return nil
  }
}
