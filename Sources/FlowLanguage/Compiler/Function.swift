import FlowCore

/// What is inside of a closure or stands for a key path, compiled.
struct ClosureBody {
  let evaluation: Evaluation
  /// What it makes, as far as is known.
  let kinds: Kinds
  /// How it is made of an Int, if there is one argument, nothing around it, and a short way.
  let intSteps: IntSteps?
}

/// A closure or key path of a stage, compiled.
struct Function {
  private let body: Evaluation
  /// The stage as written.
  private let stage: String
  /// The operator's name.
  private let name: String
  /// What it makes, as far as is known.
  let kinds: Kinds

  init(_ body: ClosureBody, of call: StageCall) {
    self.body = body.evaluation
    kinds = body.kinds
    stage = call.text
    name = call.entry.name
  }

  /// What it makes of `values`, in a locals behind what is around it.
  func value(_ outer: Locals.Captured, _ values: [Value]) throws(PipelineFailure) -> Value {
    try run(outer, values) { (value) throws(EvaluationError) in value }
  }

  /// Whether it is true of `values`.
  func truth(_ outer: Locals.Captured, _ values: [Value]) throws(PipelineFailure) -> Bool {
    try run(outer, values) { [name] (value) throws(EvaluationError) in
      try Arithmetic.truth(value.decoded, name)
    }
  }

  private func run<R>(
    _ outer: Locals.Captured,
    _ values: [Value],
    _ use: (Value) throws(EvaluationError) -> R
  ) throws(PipelineFailure) -> R {
    var locals = Locals(outer)
    for value in values { locals.append(value) }
    defer { outer.charge(locals) }
    do throws(EvaluationError) {
      return try use(body(&locals))
    } catch {
      throw PipelineFailure(
        error,
        stage: stage,
        value: values.count == 1 ? values[0] : .array(JSONArray(values))
      )
    }
  }
}

extension Compiler {
  /// Compiles a closure of a stage, which is given `arity` values of its upstream.
  func function(
    _ syntax: Syntax,
    of call: StageCall,
    arity: Int,
    makes kinds: Kinds = .any,
    in scope: Scope
  ) throws(Diagnostic) -> Function {
    let given = Array(repeating: call.kinds, count: arity)
    return Function(try function(syntax, of: given, makes: kinds, in: scope), of: call)
  }

  /// Compiles a closure of a stage that tells of each value whether something is so.
  func predicate(
    _ syntax: Syntax,
    of call: StageCall,
    in scope: Scope
  ) throws(Diagnostic) -> Function {
    try function(syntax, of: call, arity: 1, makes: .bool, in: scope)
  }

  /// Whether of two values the first comes before, or is like, the other.
  typealias Comparison = (Locals.Captured, Value, Value) throws(PipelineFailure) -> Bool

  /// The `by:` of a stage: a closure of two, or a key path to what `compare` is about.
  func comparison(
    _ call: StageCall,
    in scope: Scope,
    compare: @escaping (Value, Value) throws(EvaluationError) -> Bool
  ) throws(Diagnostic) -> Comparison {
    let arguments = try call.arguments(unlabelled: 1)
    let stage = call.text
    let compared = {
      (outer: Locals.Captured, a: Value, b: Value) throws(PipelineFailure) -> Bool in
      var locals = Locals(outer)
      defer { outer.charge(locals) }
      do throws(EvaluationError) {
        let (a, b) = (try locals.decode(a), try locals.decode(b))
        try locals.spend(Price.comparing(a, b))
        return try compare(a, b)
      } catch {
        throw PipelineFailure(error, stage: stage, value: .array(JSONArray([a, b])))
      }
    }
    guard !call.list.isEmpty else {
      return { (locals, a, b) throws(PipelineFailure) in try compared(locals, a, b) }
    }
    let syntax = try arguments.function("by")
    guard case .keyPath = syntax.kind else {
      let body = try function(syntax, of: call, arity: 2, makes: .bool, in: scope)
      return { (locals, a, b) throws(PipelineFailure) in try body.truth(locals, [a, b]) }
    }
    let key = try function(syntax, of: call, arity: 1, in: scope)
    return { (locals, a, b) throws(PipelineFailure) in
      try compared(locals, key.value(locals, [a]), key.value(locals, [b]))
    }
  }
}

extension Value {
  /// Whether it comes before `other`: numbers by size, strings by their scalars.
  func precedes(_ other: Value, for name: String) throws(EvaluationError) -> Bool {
    guard let isLess = Order.isLess(decoded, other.decoded) else {
      throw .fault("\(name) cannot compare \(kind) with \(other.kind)")
    }
    return isLess
  }
}

/// What `body` makes of a value, if there is one.
func optional<Wrapped, R>(
  _ value: Wrapped?,
  _ body: (Wrapped) throws(Diagnostic) -> R
) throws(Diagnostic) -> R? {
  guard let value else { return nil }
  return try body(value)
}
