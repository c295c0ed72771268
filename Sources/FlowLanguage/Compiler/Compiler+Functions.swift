extension Compiler {
  /// Makes an evaluation of a closure or key path with arguments of `given` kinds, which the locals
  /// has to have behind those of `scope`; what it makes has to be of one of `kinds`, as far as is
  /// known.
  func function(
    _ syntax: Syntax,
    of given: [Kinds],
    makes kinds: Kinds = .any,
    in scope: Scope
  ) throws(Diagnostic) -> ClosureBody {
    let mistakes = Mistakes()
    var values = values(in: scope)
    values.mistakes = mistakes
    let operand: Operand
    do throws(Diagnostic) {
      operand = try values.function(syntax, of: given, in: scope)
      guard !operand.kinds.isDisjoint(with: kinds) else {
        throw Diagnostic(
          "the closure must return \(kinds.text), not \(operand.kinds.text)",
          at: syntax.range
        )
      }
    } catch {
      try mistakes.check(error)
      throw error
    }
    try mistakes.check()
    let evaluation = operand.evaluation
    let scalars = scope.names.isEmpty ? operand.scalars : nil
    guard !operand.kinds.isDisjoint(with: [.string, .array, .object]) else {
      return ClosureBody(
        evaluation: evaluation,
        kinds: operand.kinds,
        arguments: given.count,
        scalars: scalars
      )
    }
    let bounded: Evaluation = { (locals) throws(EvaluationError) in
      let value = try evaluation(&locals)
      try value.checkSize()
      return value
    }
    return ClosureBody(
      evaluation: bounded,
      kinds: operand.kinds,
      arguments: given.count,
      scalars: scalars
    )
  }

  /// Makes a source of a closure that ends in a publisher.
  func publisherFunction(
    _ syntax: Syntax,
    of given: [Kinds],
    in scope: Scope
  ) throws(Diagnostic) -> Compiled {
    guard case .closure(let written) = syntax.kind else {
      throw Diagnostic("expected a closure that ends in a publisher", at: syntax.range)
    }
    let closure = try written.spread(over: given, at: syntax.range)
    let inner = try values(in: scope).scope(closure, at: syntax.range, of: given, in: scope)
    return try block(closure.body, in: inner.below)
  }
}

// MARK: - Arguments that are no closures

extension Compiler {
  /// Makes an evaluation of a whole number in bounds; checked at once where that can be.
  func integer(
    _ syntax: Syntax,
    atLeast least: Int,
    atMost most: Int = .max,
    in scope: Scope
  ) throws(Diagnostic) -> (inout Locals) throws(EvaluationError) -> Int {
    let value = try values(in: scope).decoded(syntax, in: scope)
    let number = { (locals: inout Locals) throws(EvaluationError) -> Int in
      let value = try value(&locals)
      guard case .int(let number) = value, least <= number, number <= most else {
        let isOpen = most == .max && Kinds(of: value) != .uint
        let bounds = isOpen ? "of at least \(least)" : "from \(least) to \(most)"
        throw .fault("expected an integer \(bounds)")
      }
      return number
    }
    try check(number, of: [syntax], at: syntax.range, in: scope)
    return number
  }

  /// The value that is published besides, or instead of those of some kinds; and what is published
  /// in all.
  func replacement(
    _ call: StageCall,
    instead replaced: Kinds = [],
    in scope: Scope
  ) throws(Diagnostic) -> (value: Evaluation, published: Kinds) {
    let operand = try values(in: scope).operand(
      call.arguments(unlabelled: 0).required("with"),
      in: scope
    )
    return (operand.evaluation, call.kinds.subtracting(replaced).union(operand.kinds))
  }

  /// Makes an evaluation of a Bool; checked at once where that can be.
  func flag(
    _ syntax: Syntax,
    in scope: Scope
  ) throws(Diagnostic) -> (inout Locals) throws(EvaluationError) -> Bool {
    let value = try values(in: scope).decoded(syntax, in: scope)
    let flag = { (locals: inout Locals) throws(EvaluationError) -> Bool in
      guard case .bool(let flag) = try value(&locals) else {
        throw .fault("expected true or false")
      }
      return flag
    }
    try check(flag, of: [syntax], at: syntax.range, in: scope)
    return flag
  }

  /// The names of units of time, each in nanoseconds.
  static let unitsOfTime = [
    "hours": 3600e9, "minutes": 60e9, "seconds": 1e9, "milliseconds": 1e6, "microseconds": 1e3,
    "nanoseconds": 1,
  ]

  /// Makes an evaluation of a time: seconds, or `.milliseconds(5)` and its like; in nanoseconds.
  func time(
    _ syntax: Syntax,
    atLeast least: Int = 0,
    in scope: Scope
  ) throws(Diagnostic) -> (inout Locals) throws(EvaluationError) -> Int {
    var amount = syntax
    var unit = 1e9
    if case .call(let callee, let arguments) = syntax.kind, let name = callee.lastName {
      guard let length = Self.unitsOfTime[name.text] else {
        let names = Self.unitsOfTime.keys.sorted()
        throw .unknown(
          "unit of time",
          name.text,
          at: name.range,
          among: names,
          instead: "expected \(names.joined(separator: ", "))"
        )
      }
      guard arguments.count == 1, arguments[0].label == nil else {
        throw Diagnostic("\(name.text) takes one number", at: syntax.range)
      }
      amount = arguments[0].value
      unit = length
    }
    let value = try values(in: scope).decoded(amount, in: scope)
    let time = { (locals: inout Locals) throws(EvaluationError) -> Int in
      guard let number = Scalar(try value(&locals))?.double else {
        throw .fault("expected a time such as 0.5 or .milliseconds(500)")
      }
      let nanoseconds = number * unit
      guard nanoseconds.rounded() >= Double(least), nanoseconds < 3e18 else {
        let bounds =
          switch least {
          case 0: "from 0 to 90 years"
          case 1: "above 0, and at most 90 years"
          default: "from \(least / 1_000_000) ms to 90 years"
          }
        throw .fault("expected a time \(bounds)")
      }
      return Int(nanoseconds.rounded())
    }
    try check(time, of: [amount], at: syntax.range, in: scope)
    return time
  }

  /// Accepts a queue as Combine has it, which here means the clock.
  func acceptQueue(_ syntax: Syntax?) throws(Diagnostic) {
    guard let syntax, !isQueue(syntax) else { return }
    throw Diagnostic(
      "unknown scheduler",
      at: syntax.range,
      suggestion: "DispatchQueue.main"
    )
  }

  /// Whether this is a queue as Combine has it.
  func isQueue(_ syntax: Syntax) -> Bool {
    let text = text(syntax.range)
    return text.hasPrefix("DispatchQueue.global(")
      || ["DispatchQueue.main", "RunLoop.main", "OperationQueue.main", ".main"].contains(text)
  }

  /// Evaluates what needs none of the values around, to find what is wrong with it at once.
  func check<R>(
    _ evaluation: (inout Locals) throws(EvaluationError) -> R,
    of parts: [Syntax],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) {
    guard scope.names.isEmpty || parts.allSatisfy(\.isConstant) else { return }
    var locals = Locals.whenDefined
    do {
      _ = try evaluation(&locals)
    } catch {
      switch error {
      case .limit: break
      case .fault(let message), .failed(let message): throw Diagnostic(message, at: range)
      }
    }
  }
}

extension Syntax {
  /// Whether it is made of literals alone.
  var isConstant: Bool {
    switch kind {
    case .literal: true
    case .array(let elements): elements.allSatisfy(\.isConstant)
    case .prefix(_, let operand): operand.isConstant
    case .infix(_, let left, let right): left.isConstant && right.isConstant
    default: false
    }
  }

  /// The name of `.name`, `Type.name` or `Type.Type.name`.
  var lastName: Identifier? {
    switch kind {
    case .implicitMember(let name): name
    case .member(let base, let name): base.isTypeName ? name : nil
    default: nil
    }
  }

  private var isTypeName: Bool {
    switch kind {
    case .name: true
    case .member(let base, _): base.isTypeName
    default: false
    }
  }
}
