/// Writes the tree of a pipeline's text in one way: reading it again gives the same tree.
struct SyntaxPrinter {
  private(set) var text = ""
  /// Whether `{` behind an expression would begin a block, so closures go into parentheses.
  private var inCondition = false

  /// The text of `syntax` on one line.
  static func print(_ syntax: Syntax) -> String {
    var printer = SyntaxPrinter()
    printer.expression(syntax)
    return printer.text
  }

  /// Any expression.
  private mutating func expression(_ syntax: Syntax) {
    guard case .choice(let condition, let yes, let no) = syntax.kind, !yes.isBraced else {
      return infix(syntax, above: 0)
    }
    infix(condition, above: 0)
    text += " ? "
    expression(yes.result)
    text += " : "
    expression(no.result)
  }

  /// What may stand beside a sign that binds as `least` does.
  private mutating func infix(_ syntax: Syntax, above least: Int) {
    guard case .infix(let sign, let left, let right) = syntax.kind,
      let precedence = Parser.precedences[sign]
    else { return prefix(syntax) }
    guard precedence > least else { return parenthesized(syntax) }
    // `??` leans to the right, all others to the left.
    infix(left, above: sign == "??" ? precedence : precedence - 1)
    text += sign.hasPrefix("..") ? sign : " \(sign) "
    infix(right, above: sign == "??" ? precedence - 1 : precedence)
  }

  private mutating func prefix(_ syntax: Syntax) {
    guard case .prefix(let sign, let operand) = syntax.kind else { return postfix(syntax) }
    text += sign
    prefix(operand)
  }

  private mutating func parenthesized(_ syntax: Syntax) {
    text += "("
    outsideOfConditions { $0.expression(syntax) }
    text += ")"
  }

  /// Writes something in brackets, in which closures may trail again.
  private mutating func outsideOfConditions(_ body: (inout Self) -> Void) {
    let outer = inCondition
    inCondition = false
    body(&self)
    inCondition = outer
  }

  private mutating func list<Element>(_ elements: [Element], _ body: (inout Self, Element) -> Void)
  {
    outsideOfConditions { printer in
      for (index, element) in elements.enumerated() {
        if index > 0 { printer.text += ", " }
        body(&printer, element)
      }
    }
  }
}

// MARK: - Postfix and primary expressions

extension SyntaxPrinter {
  private mutating func postfix(_ syntax: Syntax) {
    switch syntax.kind {
    case .member(let base, let name):
      // A key path would take the name into itself.
      if case .keyPath = base.kind { parenthesized(base) } else { operand(base) }
      text += "." + name.text
    case .element(let base, let index):
      if case .keyPath = base.kind { parenthesized(base) } else { operand(base) }
      text += "["
      outsideOfConditions { $0.expression(index) }
      text += "]"
    case .call(let callee, let arguments):
      operand(callee)
      self.arguments(arguments, mayStandAlone: callee.takesTrailingClosure)
    default: primary(syntax)
    }
  }

  /// What stands before a dot or a bracket.
  private mutating func operand(_ syntax: Syntax) {
    switch syntax.kind {
    case .choice, .selection, .infix, .prefix: parenthesized(syntax)
    default: postfix(syntax)
    }
  }

  private mutating func arguments(_ arguments: [Argument], mayStandAlone: Bool) {
    var inside = arguments
    var trailing: Closure?
    if !inCondition, let last = arguments.last, last.label == nil,
      case .closure(let closure) = last.value.kind
    {
      trailing = closure
      inside.removeLast()
    }
    if trailing == nil || !inside.isEmpty || !mayStandAlone {
      text += "("
      list(inside) { printer, argument in
        if let label = argument.label { printer.text += label + ": " }
        printer.expression(argument.value)
      }
      text += ")"
    }
    guard let trailing else { return }
    text += " "
    closure(trailing)
  }

  private mutating func keyPath(_ path: [PathStep]) {
    text += path.isEmpty ? "\\.self" : "\\"
    for (number, step) in path.enumerated() {
      switch step {
      case .member(let name): text += "." + name
      case .place(let place): text += ".\(place)"
      case .key(let key): text += "\(number == 0 ? "." : "")[\"\(Self.escaped(key))\"]"
      }
    }
  }

  private mutating func primary(_ syntax: Syntax) {
    switch syntax.kind {
    case .literal(.string(let string)): text += "\"" + Self.escaped(string) + "\""
    case .literal(let value): text += value.description
    case .interpolation(let parts): interpolation(parts)
    case .name(let name): text += name
    case .parameter(let index): text += "$\(index)"
    case .implicitMember(let name): text += "." + name.text
    case .pattern(let pattern): text += "/\(pattern)/"
    case .unread: text += "(…)"
    case .keyPath(let path): keyPath(path)
    case .array(let elements):
      text += "["
      list(elements) { $0.expression($1) }
      text += "]"
    case .dictionary(let pairs):
      text += pairs.isEmpty ? "[:" : "["
      list(pairs) { printer, pair in
        printer.expression(pair.key)
        printer.text += ": "
        printer.expression(pair.value)
      }
      text += "]"
    case .closure(let closure): self.closure(closure)
    case .choice(let condition, let yes, let no) where yes.isBraced: choice(condition, yes, no)
    case .selection(let selection): self.selection(selection)
    default: parenthesized(syntax)
    }
  }

  private mutating func interpolation(_ parts: [Syntax]) {
    text += "\""
    for part in parts {
      if case .literal(.string(let string)) = part.kind {
        text += Self.escaped(string)
      } else {
        text += "\\("
        outsideOfConditions { $0.expression(part) }
        text += ")"
      }
    }
    text += "\""
  }

  /// The characters between the quotes of a literal.
  static func escaped(_ string: String) -> String {
    var text = ""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\0": text += "\\0"
      default:
        // A scalar that joins those beside it would make another character of a quote.
        let isAlone = scalar.value < 0x300 || "\"\(scalar)\"".count == 3
        let isPlain = scalar.value >= 0x20 && scalar.value != 0x7F && isAlone
        text += isPlain ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return text
  }
}

// MARK: - Blocks

extension SyntaxPrinter {
  private mutating func closure(_ closure: Closure) {
    text += "{ "
    if let parameters = closure.parameters {
      text += parameters.joined(separator: ", ") + " in "
    }
    block(closure.body)
    text += " }"
  }

  private mutating func block(_ block: Block) {
    outsideOfConditions { printer in
      for (name, value) in block.lets {
        printer.text += "let \(name) = "
        printer.expression(value)
        printer.text += "; "
      }
      printer.expression(block.result)
    }
  }

  private mutating func braced(_ block: Block) {
    text += "{ "
    self.block(block)
    text += " }"
  }

  private mutating func condition(_ syntax: Syntax) {
    let outer = inCondition
    inCondition = true
    expression(syntax)
    inCondition = outer
  }

  private mutating func choice(_ condition: Syntax, _ yes: Block, _ no: Block) {
    text += "if "
    self.condition(condition)
    text += " "
    braced(yes)
    text += " else "
    // `else if` has no braces around the next choice.
    if no.isBraced { braced(no) } else { primary(no.result) }
  }

  private mutating func selection(_ selection: Selection) {
    text += "switch "
    condition(selection.subject)
    text += " { "
    for one in selection.cases {
      text += "case "
      list(one.patterns) { $0.pattern($1) }
      text += ": "
      block(one.body)
      text += " "
    }
    text += "default: "
    block(selection.otherwise)
    text += " }"
  }

  private mutating func pattern(_ pattern: Pattern) {
    switch pattern.form {
    case .value(let value): literal(value)
    case .range(let low, let high, let isClosed):
      if let low { literal(low) }
      text += isClosed ? "..." : "..<"
      if let high { literal(high) }
    }
  }

  private mutating func literal(_ value: Value) {
    primary(Syntax(kind: .literal(value), range: 0..<0, height: 1))
  }
}
