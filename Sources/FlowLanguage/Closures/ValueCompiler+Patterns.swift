extension ValueCompiler {
  /// Compiles the literal of a regular expression.
  func pattern(_ syntax: Syntax) throws(Diagnostic) -> RegularExpression? {
    guard case .pattern(let text) = syntax.kind else { return nil }
    // Behind the slash.
    let pattern = try RegularExpression(text, at: syntax.range.lowerBound + 1)
    try size.add(patternSteps: pattern.program.steps.count, at: syntax.range)
    return pattern
  }
}

extension Argument {
  /// The same, with the regular expression that a name stands for in place of the name.
  func withPattern(in scope: Scope) -> Argument {
    guard case .name(let name) = value.kind, let pattern = scope.pattern(of: name) else {
      return self
    }
    return Argument(label: label, value: pattern, range: range)
  }
}

extension Syntax {
  /// Whether this is the literal of a regular expression.
  var isPattern: Bool { if case .pattern = kind { true } else { false } }

  /// What a key path stands for where elements are put in order by it: the closure that compares.
  var ordering: Syntax {
    guard case .keyPath(let path) = kind else { return self }
    let members = [0, 1].map { Syntax.following(path, from: $0, at: range) }
    let height = members[0].height + 1
    let result = Syntax(kind: .infix("<", members[0], members[1]), range: range, height: height)
    let body = Block(lets: [], result: result)
    let closure = Closure(parameters: nil, body: body)
    return Syntax(kind: .closure(closure), range: range, height: height + 1)
  }
}
