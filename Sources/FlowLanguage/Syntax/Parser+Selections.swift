extension Parser {
  /// A `switch` with its cases, of which the default is the last.
  mutating func selection() throws(Diagnostic) -> Syntax {
    let start = token.range.lowerBound
    let word = token.range
    advance()
    let outer = inCondition
    inCondition = true
    let subject = try expression()
    inCondition = false
    defer { inCondition = outer }
    try expect("{")
    var cases: [Selection.Case] = []
    while peekWord("case") {
      advance()
      let patterns = try patterns(after: cases.flatMap(\.patterns))
      cases.append(Selection.Case(patterns: patterns, body: try block()))
    }
    guard peekWord("default") else {
      guard peek("}") else { throw unexpected("\"case\" or \"default\"") }
      throw Diagnostic("a switch needs a default", at: word)
    }
    advance()
    try expect(":")
    let otherwise = try block()
    guard !peekWord("case") else {
      throw Diagnostic("the default must be the last case", at: token.range)
    }
    try expect("}")
    let selection = Selection(subject: subject, cases: cases, otherwise: otherwise)
    let children = [subject] + cases.flatMap(\.body.children) + otherwise.children
    return try node(.selection(selection), from: start, above: children)
  }

  /// The patterns of one case and the colon behind them.
  private mutating func patterns(after others: [Pattern]) throws(Diagnostic) -> [Pattern] {
    var patterns: [Pattern] = []
    repeat {
      try checkPattern()
      let pattern = try pattern()
      if case .value(let value) = pattern.form,
        (others + patterns).contains(where: { $0.isValue(value) })
      {
        throw Diagnostic("duplicate case", at: pattern.range)
      }
      patterns.append(pattern)
    } while read(",")
    try expect(":")
    return patterns
  }

  private mutating func pattern() throws(Diagnostic) -> Pattern {
    let start = token.range.lowerBound
    let isOpenBelow = peek("...") || peek("..<")
    let low = isOpenBelow ? nil : try literal()
    let isClosed = peek("...")
    guard isClosed || peek("..<") else {
      return Pattern(form: .value(low ?? .null), range: start..<endOfLast)
    }
    advance()
    let isOpenAbove = isClosed && low != nil && (peek(",") || peek(":"))
    let high = isOpenAbove ? nil : try literal()
    let range = start..<endOfLast
    for bound in [low, high].compactMap({ $0 }) where Order.isLess(bound, bound) == nil {
      throw Diagnostic("a range needs two numbers or two strings", at: range)
    }
    if let low, let high {
      guard let isDown = Order.isLess(high, low) else {
        throw Diagnostic("a range needs two numbers or two strings", at: range)
      }
      guard !isDown else { throw Diagnostic("the lower bound is above the upper bound", at: range) }
    }
    return Pattern(form: .range(low: low, high: high, isClosed: isClosed), range: range)
  }

  private var endOfLast: Int { tokens[position - 1].range.upperBound }

  private mutating func literal() throws(Diagnostic) -> Value {
    // Ranges bind less.
    let syntax = try infix(above: Self.precedences["..."] ?? 0)
    switch syntax.kind {
    case .literal(let value): return value
    case .prefix("-", let operand):
      if case .literal(let value) = operand.kind, let negative = try? Arithmetic.negate(value) {
        return negative
      }
    default: break
    }
    throw Diagnostic("a case needs a literal or a range of literals", at: syntax.range)
  }
}

extension Pattern {
  fileprivate func isValue(_ value: Value) -> Bool {
    if case .value(value) = form { true } else { false }
  }
}
