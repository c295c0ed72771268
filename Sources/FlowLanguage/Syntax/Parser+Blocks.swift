extension Parser {
  mutating func block() throws(Diagnostic) -> Block {
    var lets: [(name: String, value: Syntax)] = []
    while peekWord("let") {
      advance()
      if read("(") {
        lets += try tuple()
      } else {
        let name = try nameOfLet()
        try expect("=")
        lets.append((name.text, try expression()))
      }
      _ = read(";")
    }
    if peekWord("return") { advance() }
    let result = try expression()
    _ = read(";")
    return Block(lets: lets, result: result)
  }

  /// The name behind a `let`, and a type behind that, which says nothing here.
  private mutating func nameOfLet() throws(Diagnostic) -> Identifier {
    let name = try name("a name after \"let\"")
    if read(":") { position = endOfType(at: position, isEnclosed: false) }
    return name
  }

  /// The `let`s that `let (a, b) = pair` stands for, the parenthesis of which has been read.
  private mutating func tuple() throws(Diagnostic) -> [(name: String, value: Syntax)] {
    var names: [Identifier] = []
    repeat { names.append(try name("a name")) } while read(",")
    try expect(")")
    try expect("=")
    let value = try expression()
    let whole = names.map { "_" + $0.text }.joined()
    var lets = [(name: whole, value: value)]
    for (place, name) in names.enumerated() where name.text != "_" {
      let base = Syntax(kind: .name(whole), range: name.range, height: 1)
      let index = Syntax(kind: .literal(.int(place)), range: name.range, height: 1)
      let element = Syntax(kind: .element(base, index), range: name.range, height: 2)
      lets.append((name.text, element))
    }
    return lets
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

  /// Parses the conditions of an `if`; a `let` holds unless its value is null.
  private mutating func conditions() throws(Diagnostic) -> (Syntax, [(name: String, value: Syntax)])
  {
    let start = token.range.lowerBound
    var lets: [(name: String, value: Syntax)] = []
    var all: Syntax?
    repeat {
      var condition: Syntax
      if peekWord("case") {
        throw Diagnostic(
          "\"if case\" is not supported: use if let a = …, which holds unless the value is null",
          at: token.range
        )
      }
      if peekWord("let") {
        advance()
        let name = try nameOfLet()
        var value = Syntax(kind: .name(name.text), range: name.range, height: 1)
        if read("=") { value = try expression() }
        // It is looked at twice, so that nested ones would add up.
        guard value.height <= 16 else {
          throw Diagnostic(
            "the value of if let is too long; name it with let first",
            at: value.range
          )
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
    } while read(",")
    guard let all else { throw unexpected("a condition") }
    return (all, lets)
  }

  mutating func choice() throws(Diagnostic) -> Syntax {
    let start = token.range.lowerBound
    advance()
    let outer = inCondition
    inCondition = true
    let (condition, lets) = try conditions()
    inCondition = outer
    let block = try braced()
    let yes = Block(lets: lets + block.lets, result: block.result, isBraced: block.isBraced)
    guard peekWord("else") else {
      if let diagnostic = foreignWord { throw diagnostic }
      throw Diagnostic("an if makes a value and needs an else", at: token.range)
    }
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
