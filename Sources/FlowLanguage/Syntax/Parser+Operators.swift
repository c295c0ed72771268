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
      guard parser.take("?") else { return condition }
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
    var left = try prefix()
    while case .symbol(let sign) = token.kind, let precedence = Self.precedences[sign],
      precedence > least
    {
      advance()
      // `??` leans to the right.
      let right = try nested { (parser) throws(Diagnostic) in
        try parser.infix(above: sign == "??" ? precedence - 1 : precedence)
      }
      left = try node(.infix(sign, left, right), from: start, above: [left, right])
    }
    return left
  }

  private mutating func prefix() throws(Diagnostic) -> Syntax {
    let start = token.range.lowerBound
    for sign in ["-", "!"] where take(sign) {
      let operand = try nested { (parser) throws(Diagnostic) in try parser.prefix() }
      return try node(.prefix(sign, operand), from: start, above: [operand])
    }
    return try postfix()
  }

  private mutating func postfix() throws(Diagnostic) -> Syntax {
    let start = token.range.lowerBound
    var base = try primary()
    while true {
      if take(".") {
        let member = try name("a name after the dot")
        base = try node(.member(base, member), from: start, above: [base])
      } else if peek("("), !token.startsLine {
        let arguments = try arguments()
        base = try node(.call(base, arguments), from: start, above: [base] + arguments.map(\.value))
      } else if peek("["), !token.startsLine {
        let outer = inCondition
        inCondition = false
        advance()
        let index = try expression()
        try expect("]")
        inCondition = outer
        base = try node(.element(base, index), from: start, above: [base, index])
      } else if peek("!"), position > 0,
        tokens[position - 1].range.upperBound == token.range.lowerBound
      {
        advance()
        base = try node(.infix("??", base, missing(base)), from: start, above: [base])
      } else if peek("{"), !inCondition, base.takesTrailingClosure {
        let trailing = try argument(closure())
        base = try node(.call(base, [trailing]), from: start, above: [base, trailing.value])
      } else {
        return base
      }
    }
  }

  /// What `base!` comes to where it is null.
  private func missing(_ base: Syntax) -> Syntax {
    let reason = Syntax.Kind.literal(.string("\(text(base.range)) is null"))
    let fail = Syntax(kind: .name("fail"), range: base.range, height: 1)
    let text = argument(Syntax(kind: reason, range: base.range, height: 1))
    return Syntax(kind: .call(fail, [text]), range: base.range, height: 2)
  }

  private func argument(_ value: Syntax) -> Argument {
    Argument(label: nil, value: value, range: value.range)
  }

  private mutating func arguments() throws(Diagnostic) -> [Argument] {
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
      let value = try expression()
      let range = start..<max(start, value.range.upperBound)
      arguments.append(Argument(label: label, value: value, range: range))
      guard take(",") else { break }
    }
    try expect(")")
    if peek("{"), !outer { arguments.append(argument(try closure())) }
    return arguments
  }
}

extension Syntax {
  /// Whether `{` right after this is an argument of it.
  var takesTrailingClosure: Bool {
    switch kind {
    case .member, .name: true
    default: false
    }
  }
}
