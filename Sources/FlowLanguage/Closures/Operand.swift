/// A compiled expression and what is known of it.
struct Operand {
  enum Form {
    case constant(Value)
    /// What the locals has under this number.
    case slot(Int)
    /// What a path leads to from the value that the locals has under this number.
    case member(MemberPath, of: Int)
    /// Computed; decoded or as it came.
    case computed(Evaluation, isDecoded: Bool)
  }

  let kinds: Kinds
  let form: Form
  /// How it is made of scalars, where it is computed and there is such a way.
  var tree: ScalarTree?
  /// What its elements are, if it is an array.
  var elements = FunctionEntry.Elements.any

  static func constant(_ value: Value) -> Operand {
    Operand(kinds: Kinds(of: value.decoded), form: .constant(value))
  }

  var isConstant: Bool {
    if case .constant = form { true } else { false }
  }

  /// Gives the value as it is: untouched if it only passes through.
  var evaluation: Evaluation {
    switch form {
    case .constant(let value): { (_) throws(EvaluationError) in value }
    case .slot(let number): { (locals) throws(EvaluationError) in locals[number] }
    case .member(let path, let number):
      { (locals) throws(EvaluationError) in try path.of(number, in: &locals, for: .handingOn) }
    case .computed(let evaluation, _): evaluation
    }
  }

  /// Gives the value decoded, to compute with.
  var decoded: Evaluation {
    switch form {
    case .constant(let value):
      let value = value.decoded
      return { (_) throws(EvaluationError) in value }
    case .slot(let number): return { (locals) throws(EvaluationError) in locals.decoded(number) }
    case .member(let path, let number):
      return { (locals) throws(EvaluationError) in
        try locals.decode(path.of(number, in: &locals, for: .computing))
      }
    case .computed(let evaluation, isDecoded: true): return evaluation
    case .computed(let evaluation, isDecoded: false):
      return { (locals) throws(EvaluationError) in
        let value = try evaluation(&locals)
        return try locals.decode(value)
      }
    }
  }

  /// Gives the decoded value, with numbers as they are spelled.
  var spelled: Evaluation {
    let evaluation = evaluation
    return { (locals) throws(EvaluationError) in
      let value = try evaluation(&locals)
      return try locals.spell(value)
    }
  }

  /// Gives the value as it is, by steps where there are some: for whoever makes something else of it.
  var part: Evaluation {
    guard case .computed(let evaluation, _) = form, let tree, tree.isComputed,
      let steps = ScalarSteps(tree, slots: 2)
    else { return evaluation }
    return { (locals) throws(EvaluationError) in
      try locals.spend(1)
      if let result = locals.result(of: steps) { return Value(result) }
      return try evaluation(&locals)
    }
  }

  /// The bytes that a constant may take.
  private static let largestConstant = 4096

  /// What an evaluation makes of `inputs`; at once if they are all constants and it is little work.
  static func computed(
    _ kinds: Kinds,
    of inputs: [Operand],
    at range: Range<Int>,
    isDecoded: Bool = true,
    _ evaluation: @escaping Evaluation
  ) throws(Diagnostic) -> Operand {
    guard inputs.allSatisfy(\.isConstant) else {
      return Operand(kinds: kinds, form: .computed(evaluation, isDecoded: isDecoded))
    }
    var locals = Locals.whenDefined
    do throws(EvaluationError) {
      let value = try evaluation(&locals)
      // A large one is made anew when it is needed: a text of a few bytes would hold megabytes.
      guard value.footprint <= largestConstant else {
        let kinds = Kinds(of: value.decoded)
        return Operand(kinds: kinds, form: .computed(evaluation, isDecoded: isDecoded))
      }
      return .constant(value)
    } catch {
      if case .limit = error {
        return Operand(kinds: kinds, form: .computed(evaluation, isDecoded: isDecoded))
      }
      throw Diagnostic(error.text, at: range)
    }
  }
}
