/// The blanks in an expression, as `SyntaxPrinter` sets them; line breaks and spellings stay.
///
/// What the tree does not tell of, such as types, `return` and parentheses that change nothing, stays
/// as it is; but a closure that can trail does.
package struct ExpressionLayout {
  /// The expression's part of each line of the file, by the line's number.
  package private(set) var lines: [Int: String] = [:]

  private let characters: [Character]
  private let tokens: [Lexeme]
  /// Whether it may name publishers, and not only values, as what is interpolated does.
  private let readsLevels: Bool
  /// What stands for each token in the canonical text: its number, and whether a blank stands
  /// before it.
  private var twins: [Int: (number: Int, isApart: Bool)] = [:]

  /// Lays out what stands behind the `=` of a definition; `nil` if that is no expression.
  ///
  /// `number` gives the line of each character.
  package init?(definition: String, line number: (Int) -> Int) {
    let text = Array(definition)
    guard let equals = Self.equals(of: text) else { return nil }
    self.init(text, from: equals + 1, number: number)
  }

  /// Where the `=` of a definition stands: the first that is none of an option between it and the
  /// name, which is the last of so many words.
  package static func equals(of definition: [Character], behind words: Int = 2) -> Int? {
    definition.indices.first { place in
      guard definition[place] == "=" else { return false }
      let before = definition[..<place]
      return before.last?.isWhitespace ?? true
        || before.split(whereSeparator: \.isWhitespace).count <= words
    }
  }

  /// An expression on one line in its canonical text; `nil` if it is none.
  package static func text(of expression: some Sequence<Character>) -> String? {
    ExpressionLayout(Array(expression), from: 0) { _ in 1 }?.lines[1]
  }

  /// Lays out what stands in `text` from `start` on; `number` gives the line of each character.
  private init?(
    _ text: [Character],
    from start: Int,
    readsLevels: Bool = true,
    number: (Int) -> Int
  ) {
    guard let printed = Self.canonical(text, from: start, readsLevels),
      let tokens = Self.tokens(text, from: start, readsLevels)
    else { return nil }
    let closures = TrailingClosures(tokens, number)
    func layout(_ trailing: [TrailingClosures.Place]) -> Self? {
      Self(text, closures.moving(trailing), printed, readsLevels, number)
    }
    // A closure in the condition of an `if` may not trail, which the tokens do not tell.
    var trailing = closures.all
    if layout(trailing) == nil {
      trailing = []
      for closure in closures.all where layout(trailing + [closure]) != nil {
        trailing.append(closure)
      }
    }
    guard let layout = layout(trailing) else { return nil }
    self = layout
  }

  /// Lays out these tokens; `nil` if they would say something else then.
  private init?(
    _ text: [Character],
    _ tokens: [Lexeme],
    _ printed: String,
    _ readsLevels: Bool,
    _ number: (Int) -> Int
  ) {
    characters = text
    self.tokens = tokens
    self.readsLevels = readsLevels
    match(Array(printed))
    write(number)
    guard !lines.isEmpty else { return nil }
    // The blanks are set by what the tokens look like. Should they ever say something else, all stays.
    let result = Array(lines.sorted { $0.key < $1.key }.map(\.value).joined(separator: " "))
    guard Self.canonical(result, from: 0, readsLevels) == printed else { return nil }
  }

  /// The text in one way.
  ///
  /// Words with hyphens may be names of other files, so they are not cut.
  private static func canonical(
    _ text: [Character],
    from start: Int,
    _ readsLevels: Bool
  ) -> String? {
    let range = start..<text.count
    let syntax = try? Parser.parse(
      text,
      in: range,
      depth: 0,
      readsLevels: readsLevels,
      isName: { _ in true }
    )
    return syntax.map(SyntaxPrinter.print)
  }

  private static func tokens(
    _ text: [Character],
    from start: Int,
    _ readsLevels: Bool
  ) -> [Lexeme]? {
    let range = start..<text.count
    var lexer = Lexer(text, in: range, readsLevels: readsLevels, isName: { _ in true })
    return (try? lexer.tokens())?.dropLast()
  }

  // MARK: Tokens

  /// Finds the twins: the tokens that both texts have, in their order.
  private mutating func match(_ printed: [Character]) {
    let others = Self.tokens(printed, from: 0, readsLevels) ?? []
    let words = tokens.map(Word.init)
    let otherWords = others.map(Word.init)
    var missing: Set<Int> = []
    var added: Set<Int> = []
    for change in otherWords.difference(from: words) {
      switch change {
      case .remove(let offset, _, _): missing.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    let kept = tokens.indices.filter { !missing.contains($0) }
    let keptOthers = others.indices.filter { !added.contains($0) }
    for (own, other) in zip(kept, keptOthers) {
      let isApart =
        other > 0 && others[other].range.lowerBound > others[other - 1].range.upperBound
      twins[own] = (other, isApart)
    }
  }

  /// What makes tokens twins: all strings are alike, since the printer writes them otherwise.
  private enum Word: Equatable {
    case string
    case other(Lexeme.Kind)

    init(_ token: Lexeme) {
      if case .string = token.kind { self = .string } else { self = .other(token.kind) }
    }
  }

  private func isSymbol(_ index: Int, _ symbols: String...) -> Bool {
    guard tokens.indices.contains(index), case .symbol(let symbol) = tokens[index].kind else {
      return false
    }
    return symbols.contains(symbol)
  }

  /// Whether no blank stands between a token and the one before it.
  private func touches(_ index: Int) -> Bool {
    index > 0 && tokens[index - 1].range.upperBound == tokens[index].range.lowerBound
  }

  // MARK: Blanks

  private mutating func write(_ numberOfLine: (Int) -> Int) {
    for index in tokens.indices {
      let token = tokens[index]
      let number = numberOfLine(token.range.lowerBound)
      // A string may go on over lines in the brackets of an interpolation.
      if numberOfLine(token.range.upperBound - 1) != number { return lines = [:] }
      let isApart = lines[number] != nil && isApart(index)
      lines[number, default: ""] += (isApart ? " " : "") + text(of: token)
    }
  }

  private func text(of token: Lexeme) -> String {
    switch token.kind {
    case .symbol(let symbol): return symbol
    case .string(let segments):
      var text = ""
      var start = token.range.lowerBound
      for case .expression(let range) in segments {
        let layout = ExpressionLayout(Array(characters[range]), from: 0, readsLevels: false) { _ in
          1
        }
        guard let expression = layout?.lines[1] else { continue }
        text += String(characters[start..<range.lowerBound]) + expression
        start = range.upperBound
      }
      return text + String(characters[start..<token.range.upperBound])
    default: return String(characters[token.range])
    }
  }

  /// Whether a blank belongs before a token: as before its twin, if what stands before is that
  /// one's twin, too.
  private func isApart(_ index: Int) -> Bool {
    let before = index - 1
    if let twin = twins[index], twins[before]?.number == twin.number - 1 { return twin.isApart }
    if isSymbol(index, ")", "]", ",", ";") || isSymbol(before, "(", "[") { return false }
    if isSymbol(index, "{", "}") || isSymbol(before, "{", ",", ":") { return true }
    if isArrow(index) || isArrow(before - 1) { return true }
    if isBetweenValues(index) || isBetweenValues(before) { return true }
    return isApartAtParentheses(index) ?? !touches(index)
  }

  /// Whether a sign stands here that always has a value on both sides, but for one that is an
  /// argument itself.
  private func isBetweenValues(_ index: Int) -> Bool {
    isSymbol(index, "=", "==", "!=", "<=", ">=", "&&", "||", "??", "+", "*", "/", "%")
      && !isSymbol(index - 1, "(", ",", ":")
  }

  /// Whether the arrow of a closure's type begins here.
  private func isArrow(_ index: Int) -> Bool {
    isSymbol(index, "-") && isSymbol(index + 1, ">") && touches(index + 1)
  }

  /// Whether a blank belongs before or behind parentheses of the source alone: where one stands
  /// between what is around them there.
  private func isApartAtParentheses(_ index: Int) -> Bool? {
    var before = index - 1
    var next = index
    if isSymbol(index, "("), twins[index] == nil {
      guard !isCall(index) else { return false }
      while isSymbol(next, "("), twins[next] == nil { next += 1 }
    }
    while isSymbol(before, ")"), twins[before] == nil { before -= 1 }
    guard let twin = twins[next], twins[before]?.number == twin.number - 1 else { return nil }
    return twin.isApart
  }

  /// Whether a parenthesis begins the arguments of what it stands at.
  private func isCall(_ index: Int) -> Bool {
    guard touches(index) else { return false }
    switch tokens[index - 1].kind {
    case .identifier, .parameter: return true
    case .symbol(">"): return twins[index - 1] == nil
    default: return isSymbol(index - 1, ")", "]", "}")
    }
  }
}
