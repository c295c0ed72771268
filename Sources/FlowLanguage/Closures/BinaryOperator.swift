/// What a sign between two values does.
protocol BinaryOperator {
  /// The sign as written.
  static var text: StaticString { get }
  /// What it makes of two Ints; `nil` if that needs a closer look.
  static func ints(_ a: Int, _ b: Int) -> Value?
  /// What it makes of any two values.
  static func values(_ a: Value, _ b: Value, _ locals: inout Locals) throws(EvaluationError)
    -> Value
  /// What it may make of values of these kinds: nothing if it does not go with them.
  static func kinds(_ a: Kinds, _ b: Kinds) -> Kinds
}

extension BinaryOperator {
  /// Signs go with numbers if nothing else is said.
  static func kinds(_ a: Kinds, _ b: Kinds) -> Kinds {
    guard !a.isDisjoint(with: .number), !b.isDisjoint(with: .number) else { return [] }
    var kinds: Kinds = []
    if a.contains(.int), b.contains(.int) { kinds.insert(.int) }
    if a.contains(.double) || b.contains(.double) { kinds.insert(.double) }
    return kinds
  }

  static func mismatch(_ a: Kinds, _ b: Kinds) -> String {
    "cannot apply \"\(text)\" to \(a.names) and \(b.names)"
  }

  /// The two as Doubles.
  static func doubles(_ a: Value, _ b: Value) throws(EvaluationError) -> (Double, Double) {
    switch (a, b) {
    case (.double(let a), .double(let b)): (a, b)
    case (.int(let a), .double(let b)): (Double(a), b)
    case (.double(let a), .int(let b)): (a, Double(b))
    case (.int(let a), .int(let b)): (Double(a), Double(b))
    default: throw .fault(mismatch(a.kinds, b.kinds))
    }
  }

  static func checked(_ number: Double) throws(EvaluationError) -> Value {
    guard number.isFinite else { throw .overflow }
    return .double(number)
  }

  /// The result of a computation with Ints, if there is no overflow.
  @inline(__always)
  static func exact(_ result: (Int, overflow: Bool)) -> Value? {
    result.overflow ? nil : .int(result.0)
  }

  static func bothAreInts(_ a: Value, _ b: Value) -> Bool {
    if case .int = a, case .int = b { true } else { false }
  }
}

extension EvaluationError {
  static var overflow: EvaluationError { .fault("arithmetic overflow") }
  static var divisionByZero: EvaluationError { .fault("division by zero") }
}
