extension Parser {
  /// A literal, a name, or something in brackets.
  mutating func primary() throws(Diagnostic) -> Syntax {
    let start = token.range.lowerBound
    let kind: Syntax.Kind
    switch token.kind {
    case .int(let number): kind = .literal(.int(number))
    case .uint(let number): kind = .literal(.uint(number))
    case .double(let number): kind = .literal(.double(number))
    case .parameter(let index): kind = .parameter(index)
    case .identifier("true"): kind = .literal(.bool(true))
    case .identifier("false"): kind = .literal(.bool(false))
    case .identifier("null"), .identifier("nil"): kind = .literal(.null)
    case .identifier("if"): return try nested { (parser) throws(Diagnostic) in try parser.choice() }
    case .identifier("switch"):
      return try nested { (parser) throws(Diagnostic) in try parser.selection() }
    case .identifier(let word):
      try checkKeyword(word)
      kind = .name(word)
      position = endOfGenerics(of: word)
    case .pattern(let pattern): kind = .pattern(pattern)
    case .string(let segments): return try string(segments)
    case .symbol("("), .symbol("["), .symbol("{"), .symbol("."), .symbol("\\"):
      return try bracketed()
    case .symbol, .end:
      if token.kind == .end { unfinished?.wanted = .expression }
      throw unexpected("an expression")
    }
    advance()
    return try node(kind, from: start)
  }

  private mutating func bracketed() throws(Diagnostic) -> Syntax {
    let start = token.range.lowerBound
    if peek("{") { return try closure() }
    if read(".") {
      if case .int = token.kind {
        let text = text(token.range)
        let place = start..<token.range.upperBound
        throw Diagnostic("a number begins with a digit", at: place, suggestion: "0.\(text)")
      }
      let member = try name("a name after the dot")
      return try node(.implicitMember(member), from: start)
    }
    if read("\\") { return try keyPath(from: start) }
    let outer = inCondition
    inCondition = false
    defer { inCondition = outer }
    if read("[") { return try collection(from: start) }
    advance()
    return try parenthesized(from: start)
  }

  /// What stands in parentheses: one expression, or a tuple, which is an array or, if its parts
  /// have labels, an object.
  private mutating func parenthesized(from start: Int) throws(Diagnostic) -> Syntax {
    if read(")") { return try node(.literal(.null), from: start) }
    var parts: [Argument] = []
    repeat {
      let first = token.range.lowerBound
      var label: String?
      if case .identifier(let word) = token.kind, tokens[position + 1].kind == .symbol(":") {
        label = word
        advance()
        advance()
      }
      if let other = parts.first, (other.label == nil) != (label == nil) {
        throw Diagnostic("either all parts of a tuple have labels or none", at: token.range)
      }
      let value = try expression()
      parts.append(Argument(label: label, value: value, range: first..<value.range.upperBound))
    } while read(",")
    try expect(")")
    let values = parts.map(\.value)
    guard parts[0].label == nil else {
      let pairs = parts.map { part in
        let key = Syntax.Kind.literal(.string(part.label ?? ""))
        return (key: Syntax(kind: key, range: part.range, height: 1), value: part.value)
      }
      return try node(.dictionary(pairs), from: start, above: values)
    }
    return values.count == 1 ? values[0] : try node(.array(values), from: start, above: values)
  }

  private mutating func collection(from start: Int) throws(Diagnostic) -> Syntax {
    if read(":") {
      try expect("]")
      return try node(.dictionary([]), from: start)
    }
    var elements: [Syntax] = []
    var pairs: [(key: Syntax, value: Syntax)] = []
    while !peek("]") {
      if peek("...") { throw try spread(from: start) }
      let element = try expression()
      if elements.isEmpty, read(":") {
        pairs.append((element, try expression()))
      } else if !pairs.isEmpty {
        throw unexpected("\":\"")
      } else {
        elements.append(element)
      }
      guard read(",") else { break }
    }
    try expect("]")
    guard pairs.isEmpty else {
      return try node(.dictionary(pairs), from: start, above: pairs.flatMap { [$0.key, $0.value] })
    }
    return try node(.array(elements), from: start, above: elements)
  }

  private mutating func string(_ segments: [Lexeme.Segment]) throws(Diagnostic) -> Syntax {
    let range = token.range
    var parts: [Syntax] = []
    for segment in segments {
      switch segment {
      case .text(let text): parts.append(literal(text, behind: &parts))
      case .expression(let place):
        let part = try interpolated(place)
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

  private mutating func interpolated(_ place: Range<Int>) throws(Diagnostic) -> Syntax {
    guard unfinished != nil, place.upperBound == characters.count else {
      return try Parser.parse(characters, in: place, depth: depth, readsLevels: false)
    }
    return try unfinishedInterpolation(place)
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
