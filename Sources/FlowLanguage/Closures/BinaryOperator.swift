/// What a sign between two values does.
protocol BinaryOperator {
  /// The sign as written.
  static var text: StaticString { get }
  /// The step that does it with scalars.
  static var step: ScalarSteps.Operation { get }
  /// What it makes of two scalars; `nil` if that needs a closer look, as what fails does.
  static func scalars(_ a: Scalar, _ b: Scalar) -> Scalar?
  /// What it makes of two values that are no scalars, or with which `scalars` makes nothing.
  static func values(_ a: Value, _ b: Value, _ locals: inout Locals) throws(EvaluationError)
    -> Value
  /// What it may make of values of these kinds: nothing if it does not go with them.
  static func kinds(_ a: Kinds, _ b: Kinds) -> Kinds
}

extension BinaryOperator {
  static func mismatch(_ a: Kinds, _ b: Kinds) -> String {
    "cannot apply \"\(text)\" to \(a.names) and \(b.names)"
  }
}

/// A sign that computes with numbers.
protocol ArithmeticOperator: BinaryOperator {
  static func integers<I: FixedWidthInteger>(_ a: I, _ b: I) -> (partialValue: I, overflow: Bool)
  static func doubles(_ a: Double, _ b: Double) -> Double
  /// Whether it divides by the second number.
  static var divides: Bool { get }
}

extension ArithmeticOperator {
  static var divides: Bool { false }

  @inline(__always)
  static func scalars(_ a: Scalar, _ b: Scalar) -> Scalar? {
    switch (a, b) {
    case (.int(let a), .int(let b)):
      if divides, b == 0 { return nil }
      let (result, overflow) = integers(a, b)
      return overflow ? nil : .int(result)
    case (.double(let a), .double(let b)): return checked(a, b)
    case (.int(let a), .double(let b)): return checked(Double(a), b)
    case (.double(let a), .int(let b)): return checked(a, Double(b))
    default: return withUInt(a, b)
    }
  }

  /// Computes with a UInt: exactly with another integer, as Doubles with a Double.
  @inline(never)
  private static func withUInt(_ a: Scalar, _ b: Scalar) -> Scalar? {
    if let a = a.integer, let b = b.integer {
      if divides, b == 0 { return nil }
      let (result, overflow) = integers(a, b)
      return overflow ? nil : Scalar(result)
    }
    guard let a = a.double, let b = b.double else { return nil }
    return checked(a, b)
  }

  @inline(__always)
  private static func checked(_ a: Double, _ b: Double) -> Scalar? {
    if divides, b == 0 { return nil }
    let result = doubles(a, b)
    return result.isFinite ? .double(result) : nil
  }

  static func values(_ a: Value, _ b: Value, _ locals: inout Locals) throws(EvaluationError)
    -> Value
  { throw failure(a, b) }

  /// Why it makes nothing of two values.
  static func failure(_ a: Value, _ b: Value) -> EvaluationError {
    guard a.isNumber, b.isNumber else { return .fault(mismatch(a.kinds, b.kinds)) }
    return divides && b == .int(0) ? .divisionByZero : .overflow
  }

  static func kinds(_ a: Kinds, _ b: Kinds) -> Kinds { numbers(a, b) }

  /// Returns the kinds of number that an arithmetic operator may give for values of these kinds.
  static func numbers(_ a: Kinds, _ b: Kinds) -> Kinds {
    guard !a.isDisjoint(with: .number), !b.isDisjoint(with: .number) else { return [] }
    var kinds: Kinds = []
    let integers: Kinds = [.int, .uint]
    if !a.isDisjoint(with: integers), !b.isDisjoint(with: integers) {
      kinds.formUnion(a.union(b).contains(.uint) ? integers : .int)
    }
    if a.contains(.double) || b.contains(.double) { kinds.insert(.double) }
    return kinds
  }
}

extension Value {
  /// Whether it is a decoded number.
  var isNumber: Bool {
    switch self {
    case .int, .uint, .double, .number: true
    default: false
    }
  }
}

extension EvaluationError {
  static var overflow: EvaluationError { .fault("arithmetic overflow") }
  static var divisionByZero: EvaluationError { .fault("division by zero") }
}
