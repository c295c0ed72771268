/// Tells of two values whether the first comes before, or is like, the other.
struct Comparison {
  /// What of a value is compared, if that is not all of it.
  let key: Function?
  /// The closure that tells, if it is the program's.
  private let closure: Function?
  private let compare: (Value, Value) throws(EvaluationError) -> Bool
  /// The stage as written.
  private let stage: String

  fileprivate init(
    of call: StageCall,
    key: Function? = nil,
    closure: Function? = nil,
    _ compare: @escaping (Value, Value) throws(EvaluationError) -> Bool
  ) {
    self.key = key
    self.closure = closure
    self.compare = compare
    stage = call.text
  }

  /// Compares two values.
  func callAsFunction(
    _ outer: Locals.Captured,
    _ a: Value,
    _ b: Value
  ) throws(PipelineFailure) -> Bool {
    guard let key else { return try compared(outer, a, .value(b)) }
    return try compared(outer, key.value(outer, .value(a)), .value(key.value(outer, .value(b))))
  }

  /// Compares what is to be compared of two values.
  func compared(
    _ outer: Locals.Captured,
    _ a: Value,
    _ b: Incoming,
    _ work: Work? = nil
  ) throws(PipelineFailure) -> Bool {
    if let closure { return try closure.truth(outer, .value(a), and: b, work) }
    var locals = Locals(outer)
    defer { outer.charge(locals) }
    do throws(EvaluationError) {
      let (a, b) = (try locals.decode(a), try locals.decode(b.value))
      try locals.spend(Price.comparing(a, b))
      return try compare(a, b)
    } catch {
      throw PipelineFailure(error, stage: stage, value: .array(JSONArray([a, b.value])))
    }
  }
}

extension Compiler {
  /// The `by:` of a stage: a closure of two, or a key path to what `compare` is about.
  func comparison(
    _ call: StageCall,
    in scope: Scope,
    compare: @escaping (Value, Value) throws(EvaluationError) -> Bool
  ) throws(Diagnostic) -> Comparison {
    let arguments = try call.arguments(unlabelled: 1)
    guard !call.list.isEmpty else { return Comparison(of: call, compare) }
    let syntax = try arguments.function("by")
    guard case .keyPath = syntax.kind else {
      let closure = try function(syntax, of: call, arity: 2, makes: .bool, in: scope)
      return Comparison(of: call, closure: closure, compare)
    }
    let key = try function(syntax, of: call, arity: 1, in: scope)
    return Comparison(of: call, key: key, compare)
  }
}
