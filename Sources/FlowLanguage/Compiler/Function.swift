import FlowCore

/// A closure or key path of a stage, compiled.
struct Function {
  private let body: ClosureBody
  /// The stage as written.
  private let stage: String
  /// The operator's name.
  private let name: String
  private let leavesOut: Bool

  init(_ body: ClosureBody, of call: StageCall) {
    self.body = body
    stage = call.text
    name = call.entry.name
    leavesOut = call.leavesOut
  }

  /// What it makes, as far as is known.
  var kinds: Kinds { body.kinds }

  /// The member that it makes of its first argument, if that is all that it does.
  var member: MemberPath? { body.member }

  /// What it makes of one value or two.
  func value(
    _ outer: Locals.Captured,
    _ first: Incoming,
    and second: Incoming? = nil,
    _ work: Work? = nil
  ) throws(PipelineFailure) -> Value {
    do throws(EvaluationError) {
      return try body.value(outer, first, and: second, work)
    } catch {
      throw failure(error, first, second)
    }
  }

  /// Whether it is true of one value or two.
  func truth(
    _ outer: Locals.Captured,
    _ first: Incoming,
    and second: Incoming? = nil,
    _ work: Work? = nil
  ) throws(PipelineFailure) -> Bool {
    do throws(EvaluationError) {
      return try body.truth(outer, first, and: second, work, name)
    } catch {
      throw failure(error, first, second)
    }
  }

  /// What it makes of any number of values, in a locals behind what is around it.
  func value(_ outer: Locals.Captured, _ values: [Value]) throws(PipelineFailure) -> Value {
    var locals = Locals(outer)
    for value in values { locals.append(value) }
    defer { outer.charge(locals) }
    do throws(EvaluationError) {
      return try body.evaluation(&locals)
    } catch {
      throw PipelineFailure(
        error,
        stage: stage,
        value: .array(JSONArray(values)),
        leavesOut: leavesOut
      )
    }
  }

  private func failure(
    _ error: EvaluationError,
    _ first: Incoming,
    _ second: Incoming?
  ) -> PipelineFailure {
    let value = second.map { .array(JSONArray([first.value, $0.value])) } ?? first.value
    return PipelineFailure(error, stage: stage, value: value, leavesOut: leavesOut)
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
}

extension Value {
  /// Whether it comes before `other`: numbers by size, strings by their scalars.
  func precedes(_ other: Value, for name: String) throws(EvaluationError) -> Bool {
    let (decoded, second) = (decoded, other.decoded)
    try Order.check(decoded, second)
    guard let isLess = Order.isLess(decoded, second) else {
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
