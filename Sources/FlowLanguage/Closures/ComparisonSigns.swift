/// The order of two values.
enum Order {
  /// Whether `a` comes before `b`; `nil` if they are not both numbers or both strings.
  static func isLess(_ a: Value, _ b: Value) -> Bool? {
    switch (a, b) {
    case (.int(let a), .int(let b)): a < b
    case (.double(let a), .double(let b)): a < b
    case (.string(let a), .string(let b)): a.precedes(b)
    case (.int(let a), .double(let b)): compare(a, b) < 0
    case (.double(let a), .int(let b)): compare(b, a) > 0
    default: nil
    }
  }

  /// Below 0 if `a` is less, above 0 if it is greater; exact where a Double of `a` would not be.
  private static func compare(_ a: Int, _ b: Double) -> Int {
    if b >= 0x1p63 { return -1 }
    if b < -0x1p63 || b.isNaN { return 1 }
    let whole = b.rounded(.down)
    let other = Int(whole)
    if a != other { return a < other ? -1 : 1 }
    return whole < b ? -1 : 0
  }

  static func kinds(_ a: Kinds, _ b: Kinds) -> Kinds {
    let areNumbers = !a.isDisjoint(with: .number) && !b.isDisjoint(with: .number)
    return areNumbers || a.contains(.string) && b.contains(.string) ? .bool : []
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
    return a == b
  }
}

enum Less: BinaryOperator {
  static let text: StaticString = "<"

  static func ints(_ a: Int, _ b: Int) -> Value? { .bool(a < b) }

  static func values(_ a: Value, _ b: Value, _ locals: inout Locals) throws(EvaluationError)
    -> Value
  {
    try Order.spend(a, b, &locals)
    guard let isLess = Order.isLess(a, b) else { throw .fault(mismatch(a.kinds, b.kinds)) }
    return .bool(isLess)
  }

  static func kinds(_ a: Kinds, _ b: Kinds) -> Kinds { Order.kinds(a, b) }
}

enum Greater: BinaryOperator {
  static let text: StaticString = ">"

  static func ints(_ a: Int, _ b: Int) -> Value? { .bool(a > b) }

  static func values(_ a: Value, _ b: Value, _ locals: inout Locals) throws(EvaluationError)
    -> Value
  {
    try Order.spend(a, b, &locals)
    guard let isGreater = Order.isLess(b, a) else { throw .fault(mismatch(a.kinds, b.kinds)) }
    return .bool(isGreater)
  }

  static func kinds(_ a: Kinds, _ b: Kinds) -> Kinds { Order.kinds(a, b) }
}

enum LessOrEqual: BinaryOperator {
  static let text: StaticString = "<="

  static func ints(_ a: Int, _ b: Int) -> Value? { .bool(a <= b) }

  static func values(_ a: Value, _ b: Value, _ locals: inout Locals) throws(EvaluationError)
    -> Value
  {
    try Order.spend(a, b, &locals)
    guard let isGreater = Order.isLess(b, a) else { throw .fault(mismatch(a.kinds, b.kinds)) }
    return .bool(!isGreater)
  }

  static func kinds(_ a: Kinds, _ b: Kinds) -> Kinds { Order.kinds(a, b) }
}

enum GreaterOrEqual: BinaryOperator {
  static let text: StaticString = ">="

  static func ints(_ a: Int, _ b: Int) -> Value? { .bool(a >= b) }

  static func values(_ a: Value, _ b: Value, _ locals: inout Locals) throws(EvaluationError)
    -> Value
  {
    try Order.spend(a, b, &locals)
    guard let isLess = Order.isLess(a, b) else { throw .fault(mismatch(a.kinds, b.kinds)) }
    return .bool(!isLess)
  }

  static func kinds(_ a: Kinds, _ b: Kinds) -> Kinds { Order.kinds(a, b) }
}

enum Equal: BinaryOperator {
  static let text: StaticString = "=="

  static func ints(_ a: Int, _ b: Int) -> Value? { .bool(a == b) }

  static func values(_ a: Value, _ b: Value, _ locals: inout Locals) throws(EvaluationError)
    -> Value
  {
    .bool(try Order.areEqual(a, b, &locals))
  }

  static func kinds(_ a: Kinds, _ b: Kinds) -> Kinds { .bool }
}

enum NotEqual: BinaryOperator {
  static let text: StaticString = "!="

  static func ints(_ a: Int, _ b: Int) -> Value? { .bool(a != b) }

  static func values(_ a: Value, _ b: Value, _ locals: inout Locals) throws(EvaluationError)
    -> Value
  {
    .bool(try !Order.areEqual(a, b, &locals))
  }

  static func kinds(_ a: Kinds, _ b: Kinds) -> Kinds { .bool }
}
