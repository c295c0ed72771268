/// Tells of two values whether the first comes before, or is like, the other.
final class Comparison {
  /// What of a value is compared, if that is not all of it.
  let key: Function?
  /// The closure that tells, if it is the program's.
  private let closure: Function?
  private let compare: (Value, Value) throws(EvaluationError) -> Bool
  /// How scalars are compared, where it is known.
  private let steps: ScalarSteps?
  /// The stage as written.
  private let stage: String
  private let leavesOut: Bool

  fileprivate init(
    of call: StageCall,
    key: Function? = nil,
    closure: Function? = nil,
    steps tree: ScalarTree? = nil,
    _ compare: @escaping (Value, Value) throws(EvaluationError) -> Bool
  ) {
    self.key = key
    self.closure = closure
    self.compare = compare
    steps = tree.flatMap { ScalarSteps($0, slots: 2) }
    stage = call.text
    leavesOut = call.leavesOut
  }

  /// Compares two values.
  func callAsFunction(
    _ outer: Locals.Captured,
    _ a: Incoming,
    _ b: Incoming,
    _ work: Work?
  ) throws(PipelineFailure) -> Bool {
    if case .bool(let isTrue)? = steps?.result(a, and: b, work) { return isTrue }
    guard let key else { return try compared(outer, a, b, work) }
    let first = try key.value(outer, a, work)
    return try compared(outer, .value(first), .value(key.value(outer, b, work)), work)
  }

  /// Compares what is to be compared of two values.
  func compared(
    _ outer: Locals.Captured,
    _ a: Incoming,
    _ b: Incoming,
    _ work: Work?
  ) throws(PipelineFailure) -> Bool {
    if let closure { return try closure.truth(outer, a, and: b, work) }
    var locals = Locals(outer)
    defer { outer.charge(locals) }
    do throws(EvaluationError) {
      let (first, second) = (try locals.decode(a.value), try locals.decode(b.value))
      try locals.spend(Price.comparing(first, second))
      return try compare(first, second)
    } catch {
      throw PipelineFailure(
        error,
        stage: stage,
        value: .array(JSONArray([a.value, b.value])),
        leavesOut: leavesOut
      )
    }
  }

  /// Throws if a first value cannot be compared even with itself: kept, it would have all others left out.
  func check(_ outer: Locals.Captured, _ input: Incoming, _ work: Work?) throws(PipelineFailure) {
    guard leavesOut else { return }
    do throws(PipelineFailure) {
      _ = try self(outer, input, input, work)
    } catch {
      // Others fail when there are two values to compare.
      if error.noAnswer != nil { throw error }
    }
  }
}

extension Compiler {
  /// The `by:` of a stage: a closure of two, or a key path to what `compare` is about; of scalars that
  /// is what `sign` tells.
  func comparison(
    _ call: StageCall,
    by sign: ScalarSteps.Operation,
    in scope: Scope,
    compare: @escaping (Value, Value) throws(EvaluationError) -> Bool
  ) throws(Diagnostic) -> Comparison {
    let arguments = try call.arguments(unlabelled: 1)
    guard !call.list.isEmpty else {
      return Comparison(of: call, steps: .binary(sign, .slot(0), .slot(1)), compare)
    }
    let syntax = try arguments.function("by")
    guard case .keyPath = syntax.kind else {
      let closure = try function(syntax, of: call, arity: 2, makes: .bool, in: scope)
      return Comparison(of: call, closure: closure, compare)
    }
    let key = try function(syntax, of: call, arity: 1, in: scope)
    let steps = key.member.map { ScalarTree.binary(sign, .member($0, of: 0), .member($0, of: 1)) }
    return Comparison(of: call, key: key, steps: steps, compare)
  }
}
