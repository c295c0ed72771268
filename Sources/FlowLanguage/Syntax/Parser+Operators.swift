import Spelling

extension Parser {
  static let precedences: [String: Int] = [
    "||": 1, "&&": 2, "==": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3, "??": 4, "...": 5,
    "..<": 5, "+": 6, "-": 6, "*": 7, "/": 7, "%": 7,
  ]

  /// Any expression.
  mutating func expression() throws(Diagnostic) -> Syntax {
    try nested { (parser) throws(Diagnostic) in
      let start = parser.token.range.lowerBound
      let condition = try parser.infix(above: 0)
      guard parser.read("?") else { return condition }
      let yes = try parser.expression()
      try parser.expect(":")
      let no = try parser.expression()
      let kind = Syntax.Kind.choice(
        condition,
        Block(lets: [], result: yes),
        Block(lets: [], result: no)
      )
      return try parser.node(kind, from: start, above: [condition, yes, no])
    }
  }

  mutating func infix(above least: Int) throws(Diagnostic) -> Syntax {
    let start = token.range.lowerBound
    var last = start
    var left = try prefix()
    while case .symbol(let sign) = token.kind, let precedence = Self.precedences[sign],
      precedence > least
    {
      advance()
      if sign == "...", peek(")") || peek(",") || peek("]") {
        left = try node(.infix(sign, left, bound(.max)), from: start, above: [left])
        continue
      }
      if sign == "*", peek("*"), isClose(position) { throw try power(from: last) }
      last = token.range.lowerBound
      // `??` leans to the right.
      let right = try nested { (parser) throws(Diagnostic) in
        try parser.infix(above: sign == "??" ? precedence - 1 : precedence)
      }
      left = try node(.infix(sign, left, right), from: start, above: [left, right])
    }
    return left
  }

  /// The bound that a range without one has.
  private func bound(_ number: Int) -> Syntax {
    Syntax(kind: .literal(.int(number)), range: token.range, height: 1)
  }

  private mutating func prefix() throws(Diagnostic) -> Syntax {
    let start = token.range.lowerBound
    for sign in ["-", "!"] where read(sign) {
      if sign == "-", case .uint(let number) = token.kind {
        guard number == Int.min.magnitude else {
          throw Diagnostic("the number does not fit in 64 bits", at: start..<token.range.upperBound)
        }
        advance()
        return try node(.literal(.int(.min)), from: start)
      }
      let operand = try nested { (parser) throws(Diagnostic) in try parser.prefix() }
      return try node(.prefix(sign, operand), from: start, above: [operand])
    }
    return try postfix()
  }

  private mutating func postfix() throws(Diagnostic) -> Syntax {
    let start = token.range.lowerBound
    var base = try primary()
    while true {
      // A member of null is null.
      if peek("?"), isClose(position), isClose(position + 1), isAccess(position + 1) { advance() }
      if read(".") {
        base = try member(of: base, from: start)
      } else if peek("("), !token.startsLine {
        let arguments = try argumentsOrUnread { (parser) throws(Diagnostic) in
          try parser.arguments(of: base)
        }
        base = try call(base, arguments, from: start)
      } else if peek("["), !token.startsLine {
        let outer = inCondition
        inCondition = false
        advance()
        let index: Syntax
        if let range = try rangeUpTo() { index = range } else { index = try expression() }
        try expect("]")
        inCondition = outer
        base = try node(.element(base, index), from: start, above: [base, index])
      } else if peek("!"), isClose(position) {
        advance()
        base = try node(.infix("??", base, missing(base)), from: start, above: [base])
      } else if peek("{"), !inCondition, base.takesTrailingClosure {
        let arguments = try argumentsOrUnread { (parser) throws(Diagnostic) in
          try parser.trailing(of: base)
        }
        base = try call(base, arguments, from: start)
      } else {
        return base
      }
    }
  }

  /// Parses the member after a dot: a name, or an index of a tuple.
  private mutating func member(of base: Syntax, from start: Int) throws(Diagnostic) -> Syntax {
    if case .int(let place) = token.kind {
      let index = Syntax(kind: .literal(.int(place)), range: token.range, height: 1)
      advance()
      return try node(.element(base, index), from: start, above: [base, index])
    }
    if token.kind == .end { unfinished?.wanted = .member(of: base) }
    let member = try name("a name after the dot")
    if member.text == "publisher", let source = try outcome(base, from: start) { return source }
    return try node(.member(base, member), from: start, above: [base])
  }

  /// Whether nothing stands between a token and the one before.
  func isClose(_ position: Int) -> Bool {
    position > 0 && position < tokens.count
      && tokens[position - 1].range.upperBound == tokens[position].range.lowerBound
  }

  private func isAccess(_ position: Int) -> Bool {
    [.symbol("."), .symbol("[")].contains(tokens[position].kind)
  }

  /// What `base!` comes to where it is null.
  private func missing(_ base: Syntax) -> Syntax {
    let reason = Syntax.Kind.literal(.string("\(text(base.range).excerpt()) is null"))
    let fail = Syntax(kind: .name("fail"), range: base.range, height: 1)
    let text = argument(Syntax(kind: reason, range: base.range, height: 1))
    return Syntax(kind: .call(fail, [text]), range: base.range, height: 2)
  }

  func argument(_ value: Syntax) -> Argument {
    Argument(label: nil, value: value, range: value.range)
  }

  /// Reads the arguments of a call; those of a stage that cannot be read are skipped.
  private mutating func argumentsOrUnread(
    _ read: (inout Self) throws(Diagnostic) -> [Argument]
  ) throws(Diagnostic) -> [Argument] {
    let (open, outer, before) = (position, inCondition, unfinished)
    do throws(Diagnostic) {
      return try read(&self)
    } catch {
      guard depth == 1, var close = closing(of: open) else { throw error }
      // The closure behind the parentheses is skipped with them.
      if tokens[close + 1].kind == .symbol("{"), let end = closing(of: close + 1) { close = end }
      guard error.offset < tokens[close].range.upperBound else { throw error }
      position = close + 1
      inCondition = outer
      unfinished = before
      let (first, last) = (tokens[open], tokens[close])
      unfinished?.skip(first, to: last)
      unread.append(error)
      let start = tokens[open].range.lowerBound
      return [argument(try node(.unread(error), from: start))]
    }
  }

  /// The place of the bracket that closes the one at `open`.
  private func closing(of open: Int) -> Int? {
    var depth = 0
    for place in open..<tokens.count {
      switch tokens[place].kind {
      case .symbol("("), .symbol("["), .symbol("{"): depth += 1
      case .symbol(")"), .symbol("]"), .symbol("}"): depth -= 1
      default: break
      }
      if depth == 0 { return place }
    }
    return nil
  }

  private mutating func arguments(of callee: Syntax) throws(Diagnostic) -> [Argument] {
    unfinished?.callee = callee
    let outer = inCondition
    inCondition = false
    defer { inCondition = outer }
    var arguments: [Argument] = []
    try expect("(")
    while !peek(")") {
      let start = token.range.lowerBound
      var label: String?
      if case .identifier(let word) = token.kind, tokens[position + 1].kind == .symbol(":") {
        label = word
        advance()
        advance()
      }
      unfinished?.begin(label)
      let value: Syntax
      if let function = try function() { value = function } else { value = try expression() }
      let range = start..<max(start, value.range.upperBound)
      arguments.append(Argument(label: label, value: value, range: range))
      guard read(",") else { break }
    }
    try expect(")")
    if peek("{"), !outer { arguments += try trailing(of: callee) }
    return arguments
  }

  /// The closures behind a call, of which the first has no label.
  private mutating func trailing(of callee: Syntax) throws(Diagnostic) -> [Argument] {
    unfinished?.callee = callee
    var closures = [argument(try closure())]
    while case .identifier(let label) = token.kind, label != "default",
      tokens[position + 1].kind == .symbol(":"), tokens[position + 2].kind == .symbol("{")
    {
      let start = token.range.lowerBound
      advance()
      advance()
      unfinished?.callee = callee
      let value = try closure()
      let range = start..<value.range.upperBound
      closures.append(Argument(label: label, value: value, range: range))
    }
    return closures
  }

  /// A function by its name, as the closure that it stands for: `+` and `Int.init`; and a range
  /// that has only an end.
  private mutating func function() throws(Diagnostic) -> Syntax? {
    let start = token.range.lowerBound
    let first = Syntax(kind: .parameter(0), range: token.range, height: 1)
    switch token.kind {
    case .symbol("..."), .symbol("..<"): return try rangeUpTo()
    case .symbol(let sign)
    where Self.precedences[sign] != nil
      && [.symbol(")"), .symbol(",")].contains(tokens[position + 1].kind):
      let second = Syntax(kind: .parameter(1), range: token.range, height: 1)
      advance()
      let result = try node(.infix(sign, first, second), from: start, above: [first, second])
      return try closure(of: result, from: start)
    case .identifier(let type) where ["Int", "Double", "String", "Just"].contains(type):
      guard tokens[position + 1].kind == .symbol("."),
        tokens[position + 2].kind == .identifier("init")
      else { return nil }
      let callee = Syntax(kind: .name(type), range: token.range, height: 1)
      for _ in 0..<3 { advance() }
      let result = try node(.call(callee, [argument(first)]), from: start, above: [callee, first])
      return try closure(of: result, from: start)
    default: return nil
    }
  }

  /// A range that has only an end.
  private mutating func rangeUpTo() throws(Diagnostic) -> Syntax? {
    guard case .symbol(let sign) = token.kind, sign == "..." || sign == "..<" else { return nil }
    let start = token.range.lowerBound
    let least = bound(0)
    advance()
    let most = try infix(above: Self.precedences[sign] ?? 0)
    return try node(.infix(sign, least, most), from: start, above: [most])
  }

  private func closure(of result: Syntax, from start: Int) throws(Diagnostic) -> Syntax {
    let body = Block(lets: [], result: result)
    return try node(.closure(Closure(parameters: nil, body: body)), from: start, above: [result])
  }
}

extension Syntax {
  /// Whether `{` right after this is an argument of it.
  var takesTrailingClosure: Bool {
    switch kind {
    case .member, .name, .implicitMember: true
    default: false
    }
  }
}
