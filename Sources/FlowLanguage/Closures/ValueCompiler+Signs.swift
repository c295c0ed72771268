extension ValueCompiler {
  func prefix(
    _ sign: String,
    _ syntax: Syntax,
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    let needed: Kinds = sign == "!" ? .bool : .number
    let operand = try operand(syntax, for: "\"\(sign)\"", needs: needed, in: scope)
    var kinds = operand.kinds.intersection(needed)
    if kinds.contains(.uint) { kinds.insert(.int) }
    let value = operand.decoded
    let scalars = operand.scalars
    if sign == "!" {
      var result = try Operand.computed(kinds, of: [operand], at: range) {
        (locals) throws(EvaluationError) in
        .bool(try !Arithmetic.truth(value(&locals), "\"!\""))
      }
      result.tree = scalars.map(ScalarTree.not)
      return result
    }
    var result = try Operand.computed(kinds, of: [operand], at: range) {
      (locals) throws(EvaluationError) in
      try Arithmetic.negate(value(&locals))
    }
    result.tree = scalars.map(ScalarTree.negation)
    return result
  }

  func infix(
    _ sign: String,
    _ left: Syntax,
    _ right: Syntax,
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    switch sign {
    case "&&", "||": return try logic(sign, left, right, at: range, in: scope)
    case "??": return try fallback(left, right, in: scope)
    case "...", "..<": return try self.range(sign, left, right, at: range, in: scope)
    default: break
    }
    let orders = ["<", ">", "<=", ">="]
    if orders.contains(sign), case .infix(let first, _, _) = left.kind, orders.contains(first) {
      throw Diagnostic("\"\(first)\" makes a Bool; join two comparisons with &&", at: range)
    }
    let left = try operand(left, in: scope)
    let right = try operand(right, in: scope)
    switch sign {
    case "+": return try infix(Plus.self, left, right, at: range)
    case "-": return try infix(Minus.self, left, right, at: range)
    case "*": return try infix(Times.self, left, right, at: range)
    case "/": return try infix(Over.self, left, right, at: range)
    case "%": return try infix(Remainder.self, left, right, at: range)
    case "<": return try infix(Less.self, left, right, at: range)
    case ">": return try infix(Greater.self, left, right, at: range)
    case "<=": return try infix(LessOrEqual.self, left, right, at: range)
    case ">=": return try infix(GreaterOrEqual.self, left, right, at: range)
    case "==": return try infix(Equal.self, left, right, at: range)
    default: return try infix(NotEqual.self, left, right, at: range)
    }
  }

  /// Takes the shortest way for what the operands are.
  private func infix<S: BinaryOperator>(
    _ sign: S.Type,
    _ left: Operand,
    _ right: Operand,
    at range: Range<Int>
  ) throws(Diagnostic) -> Operand {
    let kinds = S.kinds(left.kinds, right.kinds)
    guard !kinds.isEmpty else {
      throw Diagnostic(S.mismatch(left.kinds, right.kinds), at: range)
    }
    let evaluation = Self.evaluation(sign, left, right)
    var operand = try Operand.computed(kinds, of: [left, right], at: range, evaluation)
    operand.tree = ScalarTree(sign, left, right)
    return operand
  }

  private static func evaluation<S: BinaryOperator>(
    _ sign: S.Type,
    _ left: Operand,
    _ right: Operand
  ) -> Evaluation {
    switch (left.form, right.form) {
    case (_, .slot(let number)):
      let left = left.decoded
      return { (locals) throws(EvaluationError) in
        try combine(sign, left(&locals), locals.decoded(number), &locals)
      }
    default:
      let left = left.decoded
      let right = right.decoded
      return { (locals) throws(EvaluationError) in
        try combine(sign, left(&locals), right(&locals), &locals)
      }
    }
  }

  @inline(__always)
  private static func combine<S: BinaryOperator>(
    _ sign: S.Type,
    _ left: Value,
    _ right: Value,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    if let a = Scalar(left), let b = Scalar(right), let result = S.scalars(a, b) {
      return Value(result)
    }
    return try S.values(left, right, &locals)
  }
}

// MARK: - Signs that need not look at both sides, and ranges

extension ValueCompiler {
  private func logic(
    _ sign: String,
    _ left: Syntax,
    _ right: Syntax,
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    let name = "\"\(sign)\""
    let first = try operand(left, for: name, needs: .bool, in: scope)
    let second = try operand(right, for: name, needs: .bool, in: scope)
    let (left, right) = (first.decoded, second.decoded)
    // What decides without the right side.
    let decisive = sign == "||"
    var operand = try Operand.computed(.bool, of: [first, second], at: range) {
      (locals) throws(EvaluationError) in
      guard try Arithmetic.truth(left(&locals), name) != decisive else { return .bool(decisive) }
      return .bool(try Arithmetic.truth(right(&locals), name))
    }
    if let first = first.scalars, let second = second.scalars {
      operand.tree = .logic(decisive: decisive, first, second)
    }
    return operand
  }

  private func fallback(
    _ left: Syntax,
    _ right: Syntax,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    let first = try operand(left, in: scope)
    let second = try operand(right, in: scope)
    let kinds = first.kinds.subtracting(.null).union(second.kinds)
    let (left, right) = (first.evaluation, second.evaluation)
    return Operand(
      kinds: kinds,
      form: .computed(
        { (locals) throws(EvaluationError) in
          let value = try left(&locals)
          return value.isNull ? try right(&locals) : value
        },
        isDecoded: false
      )
    )
  }

  private func range(
    _ sign: String,
    _ low: Syntax,
    _ high: Syntax,
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    let first = try operand(low, for: "a range", needs: .int, in: scope)
    let second = try operand(high, for: "a range", needs: .int, in: scope)
    let (low, high) = (first.decoded, second.decoded)
    let isClosed = sign == "..."
    return try .computed(.array, of: [first, second], at: range) {
      (locals) throws(EvaluationError) in
      try Between.array(low(&locals), high(&locals), isClosed: isClosed, &locals)
    }
  }
}

extension Value {
  /// Whether this is null; looks into bytes only if they may be.
  fileprivate var isNull: Bool {
    switch self {
    case .null: true
    case .raw(let raw)
    where unsafe raw.bytes.withBytes({ unsafe $0.first { $0 > 0x20 } }) == UInt8(ascii: "n"):
      if case .null = raw.value { true } else { false }
    default: false
    }
  }
}
