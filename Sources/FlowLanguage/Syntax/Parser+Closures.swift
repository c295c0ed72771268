extension Parser {
  /// Reads a closure; the level of nesting is that of the expressions in it.
  mutating func closure() throws(Diagnostic) -> Syntax {
    let start = token.range.lowerBound
    let outer = inCondition
    inCondition = false
    defer { inCondition = outer }
    try expect("{")
    try checkCaptures()
    let parameters = parameters()
    let body = try block()
    try checkEffect(before: body.result)
    try expect("}")
    let kind = Syntax.Kind.closure(Closure(parameters: parameters, body: body))
    return try node(kind, from: start, above: body.children)
  }

  /// The names before `in`, if there are any; moves only if there are.
  ///
  /// Parentheses around them and types behind them, as in `{ (value: Int) -> String in … }`, say
  /// nothing here.
  private mutating func parameters() -> [String]? {
    var index = position
    // One more token may be a part of `in` or of an arrow.
    defer {
      let start = token.range.lowerBound
      if index + 2 >= tokens.count { unfinished?.parameters = start }
    }
    let isEnclosed = tokens[index].kind == .symbol("(")
    if isEnclosed { index += 1 }
    var names: [String] = []
    while case .identifier(let word) = tokens[index].kind {
      names.append(word)
      index += 1
      if isEnclosed, tokens[index].kind == .symbol(":") {
        index = endOfType(at: index + 1, isEnclosed: true)
      }
      guard tokens[index].kind == .symbol(",") else { break }
      index += 1
    }
    if isEnclosed {
      guard tokens[index].kind == .symbol(")") else { return nil }
      index += 1
    }
    guard isEnclosed || !names.isEmpty else { return nil }
    if tokens[index].kind == .symbol("-"), tokens[index + 1].kind == .symbol(">") {
      index = endOfType(at: index + 2, isEnclosed: false)
    }
    guard tokens[index].kind == .identifier("in") else { return nil }
    position = index + 1
    return names.isEmpty ? nil : names
  }

  /// Where the type ends that begins at `index`: before `in`, or in parentheses before what stands
  /// behind it there.
  func endOfType(at index: Int, isEnclosed: Bool) -> Int {
    var end = index
    var depth = 0
    while true {
      switch tokens[end].kind {
      case .identifier(let word) where word != "in": break
      case .symbol("<"), .symbol("["), .symbol("("): depth += 1
      case .symbol(")") where isEnclosed && depth == 0: return end
      case .symbol(">"), .symbol("]"), .symbol(")"): depth -= 1
      case .symbol(",") where isEnclosed && depth == 0: return end
      case .symbol(","), .symbol("."), .symbol("?"), .symbol(":"): break
      default: return end
      }
      end += 1
    }
  }

  /// The place of the last token of `Just<Int>`, the types in which say nothing; without types
  /// the place of `word`.
  func endOfGenerics(of word: String) -> Int {
    let start = position + 1
    let isResult = word == "Result"
    guard word.first?.isUppercase ?? false,
      isResult || OperatorTable.sourceNames.contains(word) || OperatorTable.isForeign(word),
      tokens[start].kind == .symbol("<"), tokens[start].range.lowerBound == token.range.upperBound
    else { return position }
    var end = start
    var depth = 0
    repeat {
      switch tokens[end].kind {
      case .symbol("<"): depth += 1
      case .symbol(">"): depth -= 1
      case .identifier, .symbol(","), .symbol("."), .symbol("?"), .symbol("["), .symbol("]"),
        .symbol(":"):
        break
      default: return position
      }
      end += 1
    } while depth > 0
    let follows: [Lexeme.Kind] = isResult ? [.symbol(".")] : [.symbol("("), .symbol("{")]
    return follows.contains(tokens[end].kind) ? end - 1 : position
  }
}
