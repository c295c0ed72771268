extension Parser {
  /// A literal, a name, or something in brackets.
  mutating func primary() throws(Diagnostic) -> Syntax {
    let start = token.range.lowerBound
    let kind: Syntax.Kind
    switch token.kind {
    case .int(let number): kind = .literal(.int(number))
    case .double(let number): kind = .literal(.double(number))
    case .parameter(let index): kind = .parameter(index)
    case .identifier("true"): kind = .literal(.bool(true))
    case .identifier("false"): kind = .literal(.bool(false))
    case .identifier("null"), .identifier("nil"): kind = .literal(.null)
    case .identifier("if"): return try nested { (parser) throws(Diagnostic) in try parser.choice() }
    case .identifier("switch"):
      return try nested { (parser) throws(Diagnostic) in try parser.selection() }
    case .identifier(let word):
      kind = .name(word)
      position = endOfGenerics(of: word)
    case .string(let segments): return try string(segments)
    case .symbol("("), .symbol("["), .symbol("{"), .symbol("."), .symbol("\\"):
      return try bracketed()
    case .symbol, .end: throw unexpected("an expression")
    }
    advance()
    return try node(kind, from: start)
  }

  private mutating func bracketed() throws(Diagnostic) -> Syntax {
    let start = token.range.lowerBound
    if peek("{") { return try closure() }
    if take(".") {
      let member = try name("a name after the dot")
      return try node(.implicitMember(member), from: start)
    }
    if take("\\") { return try keyPath(from: start) }
    let outer = inCondition
    inCondition = false
    defer { inCondition = outer }
    if take("[") { return try collection(from: start) }
    advance()
    let inner = try expression()
    if peek(",") {
      throw Diagnostic("there are no tuples; an array is written [a, b]", at: token.range)
    }
    try expect(")")
    return inner
  }

  private mutating func keyPath(from start: Int) throws(Diagnostic) -> Syntax {
    var path: [String] = []
    while take(".") { path.append(try name("a name after the dot").text) }
    guard !path.isEmpty else { throw unexpected("a dot and a name") }
    return try node(.keyPath(path), from: start)
  }

  private mutating func collection(from start: Int) throws(Diagnostic) -> Syntax {
    if take(":") {
      try expect("]")
      return try node(.dictionary([]), from: start)
    }
    var elements: [Syntax] = []
    var pairs: [(key: Syntax, value: Syntax)] = []
    while !peek("]") {
      let element = try expression()
      if elements.isEmpty, take(":") {
        pairs.append((element, try expression()))
      } else if !pairs.isEmpty {
        throw unexpected("\":\"")
      } else {
        elements.append(element)
      }
      guard take(",") else { break }
    }
    try expect("]")
    guard pairs.isEmpty else {
      return try node(.dictionary(pairs), from: start, above: pairs.flatMap { [$0.key, $0.value] })
    }
    return try node(.array(elements), from: start, above: elements)
  }

  private mutating func string(_ segments: [Token.Segment]) throws(Diagnostic) -> Syntax {
    let range = token.range
    var parts: [Syntax] = []
    for segment in segments {
      switch segment {
      case .text(let text): parts.append(literal(text, behind: &parts))
      case .expression(let place):
        let part = try Parser.parse(characters, in: place, depth: depth)
        if case .literal(.string(let text)) = part.kind {
          parts.append(literal(text, behind: &parts))
        } else {
          parts.append(part)
        }
      }
    }
    advance()
    if parts.count == 1, case .literal(.string) = parts[0].kind { return parts[0] }
    parts.removeAll { if case .literal(.string("")) = $0.kind { true } else { false } }
    return try node(.interpolation(parts), from: range.lowerBound, above: parts)
  }

  /// A part of a string; takes the one before into it if that is text, too.
  private func literal(_ text: String, behind parts: inout [Syntax]) -> Syntax {
    var text = text
    if case .literal(.string(let before)) = parts.last?.kind {
      parts.removeLast()
      text = before + text
    }
    return Syntax(kind: .literal(.string(text)), range: token.range, height: 1)
  }
}

// MARK: - Closures and choices

extension Parser {
  mutating func closure() throws(Diagnostic) -> Syntax {
    try nested { (parser) throws(Diagnostic) in
      let start = parser.token.range.lowerBound
      let outer = parser.inCondition
      parser.inCondition = false
      defer { parser.inCondition = outer }
      try parser.expect("{")
      let parameters = parser.parameters()
      let body = try parser.block()
      try parser.expect("}")
      let kind = Syntax.Kind.closure(Closure(parameters: parameters, body: body))
      return try parser.node(kind, from: start, above: body.children)
    }
  }

  /// The names before `in`, if there are any; moves only if there are.
  ///
  /// Parentheses around them and types behind them, as in `{ (value: Int) -> String in … }`, say
  /// nothing here.
  private mutating func parameters() -> [String]? {
    var index = position
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
  private func endOfType(at index: Int, isEnclosed: Bool) -> Int {
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
  private func endOfGenerics(of word: String) -> Int {
    let start = position + 1
    guard word.first?.isUppercase ?? false, OperatorTable.sourceNames.contains(word),
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
    return [.symbol("("), .symbol("{")].contains(tokens[end].kind) ? end - 1 : position
  }

  mutating func block() throws(Diagnostic) -> Block {
    var lets: [(name: String, value: Syntax)] = []
    while peekWord("let") {
      advance()
      let name = try name("a name after \"let\"")
      try expect("=")
      lets.append((name.text, try expression()))
      _ = take(";")
    }
    if peekWord("return") { advance() }
    let result = try expression()
    _ = take(";")
    return Block(lets: lets, result: result)
  }

  /// A condition in which the names of the `let`s before it are known.
  private func given(
    _ lets: [(name: String, value: Syntax)],
    _ condition: Syntax
  ) throws(Diagnostic) -> Syntax {
    guard !lets.isEmpty else { return condition }
    func constant(_ flag: Bool) -> Syntax {
      Syntax(kind: .literal(.bool(flag)), range: condition.range, height: 1)
    }
    let known = Block(lets: lets, result: condition, isBraced: true)
    let never = Block(lets: [], result: constant(false), isBraced: true)
    return try node(
      .choice(constant(true), known, never),
      from: condition.range.lowerBound,
      above: known.children
    )
  }

  /// What stands between `if` and its block; a `let` holds unless its value is null.
  private mutating func conditions() throws(Diagnostic) -> (Syntax, [(name: String, value: Syntax)])
  {
    let start = token.range.lowerBound
    var lets: [(name: String, value: Syntax)] = []
    var all: Syntax?
    repeat {
      var condition: Syntax
      if peekWord("let") {
        advance()
        let name = try name("a name after \"let\"")
        var value = Syntax(kind: .name(name.text), range: name.range, height: 1)
        if take("=") { value = try expression() }
        // It is looked at twice, so that nested ones would add up.
        guard value.height <= 16 else {
          throw Diagnostic("if let takes a short value; name this one before", at: value.range)
        }
        lets.append((name.text, value))
        let null = Syntax(kind: .literal(.null), range: value.range, height: 1)
        condition = try given(
          Array(lets.dropLast()),
          node(.infix("!=", value, null), from: start, above: [value])
        )
      } else {
        condition = try given(lets, expression())
      }
      if let before = all {
        condition = try node(
          .infix("&&", before, condition),
          from: start,
          above: [before, condition]
        )
      }
      all = condition
    } while take(",")
    guard let all else { throw unexpected("a condition") }
    return (all, lets)
  }

  private mutating func choice() throws(Diagnostic) -> Syntax {
    let start = token.range.lowerBound
    advance()
    let outer = inCondition
    inCondition = true
    let (condition, lets) = try conditions()
    inCondition = outer
    let block = try braced()
    let yes = Block(lets: lets + block.lets, result: block.result, isBraced: block.isBraced)
    guard peekWord("else") else { throw unexpected("\"else\"") }
    advance()
    let no: Block
    if peekWord("if") {
      let next = try nested { (parser) throws(Diagnostic) in try parser.choice() }
      no = Block(lets: [], result: next)
    } else {
      no = try braced()
    }
    let children = [condition] + yes.children + no.children
    return try node(.choice(condition, yes, no), from: start, above: children)
  }

  private mutating func braced() throws(Diagnostic) -> Block {
    let outer = inCondition
    inCondition = false
    defer { inCondition = outer }
    try expect("{")
    var block = try block()
    try expect("}")
    block.isBraced = true
    return block
  }
}
