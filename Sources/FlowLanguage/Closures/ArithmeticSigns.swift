enum Plus: ArithmeticOperator {
  static let text: StaticString = "+"
  static let step = ScalarSteps.Operation.plus

  @inline(__always)
  static func integers<I: FixedWidthInteger>(_ a: I, _ b: I) -> (partialValue: I, overflow: Bool) {
    a.addingReportingOverflow(b)
  }

  static func doubles(_ a: Double, _ b: Double) -> Double { a + b }

  static func values(_ a: Value, _ b: Value, _ locals: inout Locals) throws(EvaluationError)
    -> Value
  {
    switch (a, b) {
    case (.string(let first), .string(let second)):
      try locals.spend(1 + Price.bytes(first.utf8.count + second.utf8.count))
      guard first.utf8.count + second.utf8.count <= Extent.mostBytes else { throw .tooLarge }
      return .string(first + second)
    case (.array(let first), .array(let second)):
      try locals.spend(1 + Price.copying(first.count + second.count))
      return try JSONArray.checked(first.elements + second.elements)
    case (.object(let first), .object(let second)):
      try locals.spend(1 + Price.collecting(first.members.count + second.members.count))
      return try Objects.merging(a, b)
    default: throw failure(a, b)
    }
  }

  static func kinds(_ a: Kinds, _ b: Kinds) -> Kinds {
    let kinds = a.ofAnyWidth.intersection(b.ofAnyWidth).intersection([.string, .array, .object])
    return kinds.union(numbers(a, b))
  }
}

enum Minus: ArithmeticOperator {
  static let text: StaticString = "-"
  static let step = ScalarSteps.Operation.minus

  @inline(__always)
  static func integers<I: FixedWidthInteger>(_ a: I, _ b: I) -> (partialValue: I, overflow: Bool) {
    a.subtractingReportingOverflow(b)
  }

  static func doubles(_ a: Double, _ b: Double) -> Double { a - b }
}

enum Times: ArithmeticOperator {
  static let text: StaticString = "*"
  static let step = ScalarSteps.Operation.times

  @inline(__always)
  static func integers<I: FixedWidthInteger>(_ a: I, _ b: I) -> (partialValue: I, overflow: Bool) {
    a.multipliedReportingOverflow(by: b)
  }

  static func doubles(_ a: Double, _ b: Double) -> Double { a * b }
}

enum Over: ArithmeticOperator {
  static let text: StaticString = "/"
  static let step = ScalarSteps.Operation.over
  static var divides: Bool { true }

  @inline(__always)
  static func integers<I: FixedWidthInteger>(_ a: I, _ b: I) -> (partialValue: I, overflow: Bool) {
    a.dividedReportingOverflow(by: b)
  }

  static func doubles(_ a: Double, _ b: Double) -> Double { a / b }
}

enum Remainder: ArithmeticOperator {
  static let text: StaticString = "%"
  static let step = ScalarSteps.Operation.remainder
  static var divides: Bool { true }

  @inline(__always)
  static func integers<I: FixedWidthInteger>(_ a: I, _ b: I) -> (partialValue: I, overflow: Bool) {
    a.remainderReportingOverflow(dividingBy: b)
  }

  static func doubles(_ a: Double, _ b: Double) -> Double { a.truncatingRemainder(dividingBy: b) }
}

/// `a...b` and `a..<b`: the array of the Ints between the two.
enum Between {
  /// The most elements there may be.
  private static let most = 100_000

  static func array(
    _ low: Value,
    _ high: Value,
    isClosed: Bool,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    guard case .int(let low) = low, case .int(let high) = high else {
      throw .fault("a range needs two Ints, not \(low.kind) and \(high.kind)")
    }
    guard low <= high else { throw .fault("the lower bound is above the upper bound") }
    let (length, overflow) = high.subtractingReportingOverflow(low)
    guard !overflow, length < (isClosed ? most : most + 1) else {
      throw .fault("a range can have at most \(most) elements")
    }
    try locals.spend(1 + Price.copying(length))
    let numbers = isClosed ? Array(low...high) : Array(low..<high)
    return .array(JSONArray(numbers.lazy.map(Value.int)))
  }
}
