/// The closures in the parentheses of calls that could stand behind them: `map({ … })`,
/// `scan(0, { … })`.
struct TrailingClosures {
  /// Where the sign before the closure and the parenthesis behind it stand among the tokens.
  struct Place {
    let before: Int
    let behind: Int
  }

  private let tokens: [Lexeme]
  private(set) var all: [Place] = []

  /// Finds them in `tokens`; `number` gives the line of each character.
  init(_ tokens: [Lexeme], _ number: (Int) -> Int) {
    self.tokens = tokens
    var open: [Int] = []
    for index in tokens.indices {
      if isSymbol(index, "(", "[", "{") { open.append(index) }
      guard isSymbol(index, ")", "]", "}"), let start = open.popLast(), isSymbol(start, "{"),
        isSymbol(index + 1, ")"), let call = open.last, isCall(call)
      else { continue }
      let isAlone = call == start - 1
      // A line by itself cannot begin with a brace, nor be left with nothing.
      let isJoined =
        [(start - 1, start), (index, index + 1)].allSatisfy { first, second in
          number(tokens[first].range.lowerBound) == number(tokens[second].range.lowerBound)
        }
      guard isAlone || isSymbol(start - 1, ","), isJoined else { continue }
      all.append(Place(before: start - 1, behind: index + 1))
    }
  }

  /// The tokens with these closures behind their calls.
  func moving(_ places: [Place]) -> [Lexeme] {
    var kinds: [Int: Lexeme.Kind?] = [:]
    for place in places {
      let isAlone = isSymbol(place.before, "(")
      kinds[place.before] = .some(isAlone ? nil : .symbol(")"))
      kinds[place.behind] = .some(nil)
    }
    return tokens.indices.compactMap { index in
      guard let kind = kinds[index] else { return tokens[index] }
      let token = tokens[index]
      return kind.map { Lexeme(kind: $0, range: token.range, startsLine: token.startsLine) }
    }
  }

  private func isSymbol(_ index: Int, _ symbols: String...) -> Bool {
    guard tokens.indices.contains(index), case .symbol(let symbol) = tokens[index].kind else {
      return false
    }
    return symbols.contains(symbol)
  }

  /// Whether a parenthesis begins the arguments of the name it stands at.
  private func isCall(_ index: Int) -> Bool {
    guard index > 0, isSymbol(index, "("), case .identifier = tokens[index - 1].kind else {
      return false
    }
    return tokens[index - 1].range.upperBound == tokens[index].range.lowerBound
  }
}
