/// The order of two values.
enum Order {
  /// Whether `a` comes before `b`; `nil` if they are not both numbers or both strings.
  static func isLess(_ a: Value, _ b: Value) -> Bool? {
    if case .string(let a) = a, case .string(let b) = b { return a.precedes(b) }
    guard let a = Scalar(a), let b = Scalar(b) else { return nil }
    return isLess(a, b)
  }

  /// Whether `a` is less than `b`; `nil` if they are not both numbers.
  @inline(__always)
  static func isLess(_ a: Scalar, _ b: Scalar) -> Bool? {
    switch (a, b) {
    case (.int(let a), .int(let b)): a < b
    case (.double(let a), .double(let b)): a < b
    case (.int(let a), .double(let b)): compare(a, b) < 0
    case (.double(let a), .int(let b)): compare(b, a) > 0
    default: isLessWithUInt(a, b)
    }
  }

  @inline(never)
  private static func isLessWithUInt(_ a: Scalar, _ b: Scalar) -> Bool? {
    switch (a, b) {
    case (.uint(let a), .uint(let b)): a < b
    case (.int, .uint): true
    case (.uint, .int): false
    case (.uint(let a), .double(let b)): compareExactly(a, b) < 0
    case (.double(let a), .uint(let b)): compareExactly(b, a) > 0
    default: nil
    }
  }

  /// Below 0 if `a` is less, above 0 if it is greater; exact where a Double of `a` would not be.
  @inline(__always)
  private static func compare(_ a: Int, _ b: Double) -> Int {
    // As whole numbers of so few digits are in a Double.
    if a.magnitude <= 1 << 53 { return Double(a) < b ? -1 : Double(a) == b ? 0 : 1 }
    return compareExactly(a, b)
  }

  private static func compareExactly<I: FixedWidthInteger>(_ a: I, _ b: Double) -> Int {
    let whole = b.rounded(.down)
    guard let other = I(exactly: whole) else { return b > 0 ? -1 : 1 }
    if a != other { return a < other ? -1 : 1 }
    return whole < b ? -1 : 0
  }

  /// Throws if one of two decoded values is a number that cannot be compared as one.
  static func check(_ a: Value, _ b: Value) throws(EvaluationError) {
    if a.isBeyondDoubles || b.isBeyondDoubles, a.isNumber, b.isNumber { throw .overflow }
  }

  static func spend(_ a: Value, _ b: Value, _ locals: inout Locals) throws(EvaluationError) {
    try locals.spend(Price.comparing(a, b))
  }

  /// Whether they are equal, for what it costs to compare them.
  static func areEqual(_ a: Value, _ b: Value, _ locals: inout Locals) throws(EvaluationError)
    -> Bool
  {
    if case .string(let a) = a, case .string(let b) = b {
      try locals.spend(Price.comparing(a, b))
      return a.isSame(as: b)
    }
    try spend(a, b, &locals)
    try check(a, b)
    return a == b
  }
}

/// A sign that tells which of two numbers or strings comes first.
protocol OrderOperator: BinaryOperator {
  /// Whether it asks for the second before the first.
  static var isTurned: Bool { get }
  /// Whether it is true of what does not come first.
  static var isNegated: Bool { get }
}

extension OrderOperator {
  @inline(__always)
  static func scalars(_ a: Scalar, _ b: Scalar) -> Scalar? {
    guard let isLess = isTurned ? Order.isLess(b, a) : Order.isLess(a, b) else { return nil }
    return .bool(isLess != isNegated)
  }

  static func values(_ a: Value, _ b: Value, _ locals: inout Locals) throws(EvaluationError)
    -> Value
  {
    try Order.spend(a, b, &locals)
    try Order.check(a, b)
    guard let isLess = isTurned ? Order.isLess(b, a) : Order.isLess(a, b) else {
      throw .fault(mismatch(a.kinds, b.kinds))
    }
    return .bool(isLess != isNegated)
  }

  static func kinds(_ a: Kinds, _ b: Kinds) -> Kinds {
    let areNumbers = !a.isDisjoint(with: .number) && !b.isDisjoint(with: .number)
    return areNumbers || a.contains(.string) && b.contains(.string) ? .bool : []
  }
}

enum Less: OrderOperator {
  static let text: StaticString = "<"
  static let step = ScalarSteps.Operation.less
  static var isTurned: Bool { false }
  static var isNegated: Bool { false }
}

enum Greater: OrderOperator {
  static let text: StaticString = ">"
  static let step = ScalarSteps.Operation.greater
  static var isTurned: Bool { true }
  static var isNegated: Bool { false }
}

enum LessOrEqual: OrderOperator {
  static let text: StaticString = "<="
  static let step = ScalarSteps.Operation.lessOrEqual
  static var isTurned: Bool { true }
  static var isNegated: Bool { true }
}

enum GreaterOrEqual: OrderOperator {
  static let text: StaticString = ">="
  static let step = ScalarSteps.Operation.greaterOrEqual
  static var isTurned: Bool { false }
  static var isNegated: Bool { true }
}

/// A sign that tells whether two values are equal.
protocol EqualityOperator: BinaryOperator {
  /// Whether it is true of those that are not.
  static var isNegated: Bool { get }
}

extension EqualityOperator {
  @inline(__always)
  static func scalars(_ a: Scalar, _ b: Scalar) -> Scalar? { .bool((a == b) != isNegated) }

  static func values(_ a: Value, _ b: Value, _ locals: inout Locals) throws(EvaluationError)
    -> Value
  { .bool(try Order.areEqual(a, b, &locals) != isNegated) }

  static func kinds(_ a: Kinds, _ b: Kinds) -> Kinds { .bool }
}

enum Equal: EqualityOperator {
  static let text: StaticString = "=="
  static let step = ScalarSteps.Operation.equal
  static var isNegated: Bool { false }
}

enum NotEqual: EqualityOperator {
  static let text: StaticString = "!="
  static let step = ScalarSteps.Operation.notEqual
  static var isNegated: Bool { true }
}
