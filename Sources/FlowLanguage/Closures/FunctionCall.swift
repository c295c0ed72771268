/// A call of a function, ready to run.
struct FunctionCall {
  let entry: FunctionEntry
  /// Whether the first input stands before the dot: behind null everything is null.
  let isChained: Bool
  private var inputs: [Evaluation] = []
  /// What each input may be.
  private var checks: [Kinds] = []
  /// Whether each input's numbers stay as they are spelled.
  private var spelled: [Bool] = []
  /// The parameters of the inputs, if there is more to check.
  private var bounded: [FunctionEntry.Parameter]?
  var closure: InnerClosure?
  var pattern: RegularExpression?

  init(entry: FunctionEntry, isChained: Bool) {
    self.entry = entry
    self.isChained = isChained
  }

  /// Adds an input.
  mutating func add(_ operand: Operand, _ parameter: FunctionEntry.Parameter) {
    guard case .value(let kinds) = parameter.form else { return }
    inputs.append(parameter.keepsSpelling ? operand.spelled : operand.decoded)
    checks.append(kinds)
    spelled.append(parameter.keepsSpelling)
    if parameter.bounds != nil, bounded == nil {
      bounded = checks.dropLast().map { .init(label: nil, form: .value($0)) }
    }
    bounded?.append(parameter)
  }

  func run(_ locals: inout Locals) throws(EvaluationError) -> Value {
    switch entry.body {
    case .alone(let body): return try body(&locals)
    case .unary(let body):
      guard let value = try input(0, &locals) else { return .null }
      return try body(value)
    case .binary(let body):
      guard let first = try input(0, &locals), let second = try input(1, &locals) else {
        return .null
      }
      return try body(first, second)
    case .ternary(let body):
      guard let first = try input(0, &locals), let second = try input(1, &locals),
        let third = try input(2, &locals)
      else { return .null }
      return try body(first, second, third)
    case .several(let body):
      var values: [Value] = []
      for index in inputs.indices {
        guard let value = try input(index, &locals) else { return .null }
        values.append(value)
      }
      return try body(values)
    case .closure(let body):
      guard let value = try input(0, &locals), let closure else { return .null }
      return try body(value, closure, &locals)
    case .folding(let body):
      guard let value = try input(0, &locals), let initial = try input(1, &locals), let closure
      else { return .null }
      return try body(value, initial, closure, &locals)
    case .pattern(let body):
      guard let value = try input(0, &locals), let pattern else { return .null }
      return try body(value, pattern, &locals)
    case .replacement(let body):
      guard let value = try input(0, &locals), let other = try input(1, &locals), let pattern
      else { return .null }
      return try body(value, pattern, other, &locals)
    case .rewriting(let body):
      guard let value = try input(0, &locals), let pattern, let closure else { return .null }
      return try body(value, pattern, closure, &locals)
    }
  }

  /// The value of an input; `nil` if it is null and stands before the dot.
  private func input(_ index: Int, _ locals: inout Locals) throws(EvaluationError) -> Value? {
    let value = try inputs[index](&locals)
    try locals.spend(Price.steps(entry.work, on: value))
    let kind = Kinds(of: value)
    guard checks[index].contains(kind) else {
      if isChained, index == 0, kind == .null { return nil }
      throw .fault("\(entry.name) needs \(checks[index].text), not \(kind.text)")
    }
    if value.isBeyondDoubles, !spelled[index] { throw .overflow }
    if let bounded, let fault = fault(of: value, for: bounded[index]) { throw .fault(fault) }
    return value
  }

  /// Why a value of the right kind cannot be an argument all the same.
  func fault(of value: Value, for parameter: FunctionEntry.Parameter) -> String? {
    parameter.bounds?(value).map { "\(entry.name) needs \($0), not \(value)" }
  }
}
