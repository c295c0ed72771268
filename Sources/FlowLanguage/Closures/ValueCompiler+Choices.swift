extension ValueCompiler {
  func choice(
    _ condition: Syntax,
    _ yes: Block,
    _ no: Block,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    let test = try operand(condition, for: "a condition", needs: .bool, in: scope)
    let condition = test.decoded
    let first = try block(yes, in: scope)
    let second = try block(no, in: scope)
    let (yes, no) = (first.evaluation, second.evaluation)
    var operand = Operand(
      kinds: first.kinds.union(second.kinds),
      form: .computed(
        { (locals) throws(EvaluationError) in
          try Arithmetic.truth(condition(&locals), "a condition") ? yes(&locals) : no(&locals)
        },
        isDecoded: false
      )
    )
    if let test = test.scalars, let first = first.scalars, let second = second.scalars {
      operand.tree = .choice(test, first, second)
    }
    return operand
  }

  func condition(_ syntax: Syntax, in scope: Scope) throws(Diagnostic) -> Evaluation {
    try operand(syntax, for: "a condition", needs: .bool, in: scope).decoded
  }

  func selection(_ selection: Selection, in scope: Scope) throws(Diagnostic) -> Operand {
    let subject = try self.subject(of: selection, in: scope)
    var kinds: Kinds = []
    var bodies: [Evaluation] = []
    for block in selection.cases.map(\.body) + [selection.otherwise] {
      let body = try self.block(block, in: scope)
      kinds.formUnion(body.kinds)
      bodies.append(body.evaluation)
    }
    return Operand(
      kinds: kinds,
      form: .computed(
        { [bodies] (locals) throws(EvaluationError) in
          try bodies[selection.match(subject(&locals))](&locals)
        },
        isDecoded: false
      )
    )
  }

  /// The value that a `switch` looks at; all patterns have to be of a kind that it may be.
  func subject(of selection: Selection, in scope: Scope) throws(Diagnostic) -> Evaluation {
    let subject = try operand(selection.subject, in: scope)
    for pattern in selection.cases.flatMap(\.patterns) {
      var wanted = pattern.kinds
      if !wanted.isDisjoint(with: .number) { wanted = .number }
      guard !wanted.isDisjoint(with: subject.kinds) else {
        throw Diagnostic(
          "the switch is over \(subject.kinds.text), which is never \(wanted.text)",
          at: pattern.range
        )
      }
    }
    return subject.decoded
  }
}

extension Selection {
  /// The number of the first case that `value` matches; behind the last is the default.
  func match(_ value: Value) throws(EvaluationError) -> Int {
    if value.isBeyondDoubles, cases.contains(where: \.comparesNumbers) { throw .overflow }
    return cases.firstIndex { $0.patterns.contains { $0.matches(value) } } ?? cases.count
  }
}

extension Selection.Case {
  /// Whether it looks for numbers.
  fileprivate var comparesNumbers: Bool {
    patterns.contains { !$0.kinds.isDisjoint(with: .number) }
  }
}

extension Pattern {
  var kinds: Kinds {
    switch form {
    case .value(let value): Kinds(of: value)
    case .range(let low, let high, _): Kinds(of: low ?? high ?? .null)
    }
  }

  /// Whether `value`, which is decoded, is meant; one of another kind is not.
  func matches(_ value: Value) -> Bool {
    switch form {
    case .value(let wanted): return value == wanted
    case .range(let low, let high, let isClosed):
      if let low, Order.isLess(value, low) ?? true { return false }
      guard let high else { return true }
      return (isClosed ? Order.isLess(high, value).map { !$0 } : Order.isLess(value, high)) ?? false
    }
  }
}
