/// What is inside of a closure or stands for a key path, compiled.
final class ClosureBody {
  let evaluation: Evaluation
  /// What it makes, as far as is known.
  let kinds: Kinds
  /// How a result is made of scalars: for whoever hands it on, with numbers as they are spelled, and for
  /// whoever looks at it.
  private let handingOn: ScalarSteps?
  private let looking: ScalarSteps?
  /// The member that is the result, if it is one of the first argument.
  let member: MemberPath?

  init(
    evaluation: @escaping Evaluation,
    kinds: Kinds,
    arguments: Int,
    scalars tree: ScalarTree?
  ) {
    self.evaluation = evaluation
    self.kinds = kinds
    looking = tree.flatMap { ScalarSteps($0, slots: arguments) }
    handingOn = tree?.isComputed == true ? looking : nil
    if case .member(let path, of: 0) = tree { member = path } else { member = nil }
  }

  /// What it makes of one argument or two, to be handed on.
  @inline(__always)
  func value(
    _ outer: Locals.Captured,
    _ first: Incoming,
    and second: Incoming? = nil,
    _ work: Work?
  ) throws(EvaluationError) -> Value {
    if let result = scalar(first, and: second ?? .value(.null), work) { return Value(result) }
    return try evaluated(outer, first, second, work)
  }

  /// What it makes of two arguments, to be handed on, if that is made of scalars.
  @inline(__always)
  func scalar(_ first: Incoming, and second: Incoming, _ work: Work?) -> Scalar? {
    handingOn?.result(first, and: second, work)
  }

  /// Whether it is true of one argument or two; `name` is whose closure it is.
  @inline(__always)
  func truth(
    _ outer: Locals.Captured,
    _ first: Incoming,
    and second: Incoming? = nil,
    _ work: Work?,
    _ name: String
  ) throws(EvaluationError) -> Bool {
    if case .bool(let isTrue)? = looking?.result(first, and: second ?? .value(.null), work) {
      return isTrue
    }
    return try Arithmetic.truth(evaluated(outer, first, second, work).decoded, name)
  }

  @inline(never)
  private func evaluated(
    _ outer: Locals.Captured,
    _ first: Incoming,
    _ second: Incoming?,
    _ work: Work?
  ) throws(EvaluationError) -> Value {
    if let member, let value = member.value(in: first, work) {
      (work ?? outer.work)?.charge(first.scanning)
      try value.checkSize()
      return value
    }
    var locals = Locals(outer, first, work)
    if let second { locals.append(second) }
    defer { (work ?? outer.work)?.charge(locals.spent) }
    return try evaluation(&locals)
  }
}

extension Incoming {
  /// What it costs to look for a member.
  var scanning: Int {
    switch self {
    case .payload(let payload): Price.scanning(payload.count)
    case .value(.raw(let raw)): Price.scanning(raw.bytes.count)
    case .value: 0
    }
  }
}
