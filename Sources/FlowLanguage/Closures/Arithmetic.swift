/// What the signs between two values do.
enum Arithmetic {
  typealias Operation = (Value, Value) throws(Trouble) -> Value

  /// The operation of `sign`, except of those that need not look at both sides.
  static func operation(_ sign: String) -> Operation? {
    switch sign {
    case "+": add
    case "-": subtract
    case "*": multiply
    case "/": divide
    case "%": remainder
    case "==": { (a, b) throws(Trouble) in .bool(a == b) }
    case "!=": { (a, b) throws(Trouble) in .bool(a != b) }
    case "<": { (a, b) throws(Trouble) in .bool(try less(a, b, "<")) }
    case ">": { (a, b) throws(Trouble) in .bool(try less(b, a, ">")) }
    case "<=": { (a, b) throws(Trouble) in .bool(try lessOrEqual(a, b, "<=")) }
    case ">=": { (a, b) throws(Trouble) in .bool(try lessOrEqual(b, a, ">=")) }
    case "...": { (a, b) throws(Trouble) in try range(a, b, closed: true) }
    case "..<": { (a, b) throws(Trouble) in try range(a, b, closed: false) }
    default: nil
    }
  }

  static func negate(_ value: Value) throws(Trouble) -> Value {
    switch value {
    case .int(let number): try checked(0.subtractingReportingOverflow(number))
    case .double(let number): .double(-number)
    default: throw .fault("\"-\" needs a number, not \(value.kind)")
    }
  }

  static func truth(_ value: Value, _ what: String) throws(Trouble) -> Bool {
    if case .bool(let flag) = value { return flag }
    throw .fault("\(what) needs a Bool, not \(value.kind)")
  }

  private static func checked(_ result: (Int, overflow: Bool)) throws(Trouble) -> Value {
    guard !result.overflow else { throw .fault("arithmetic overflow") }
    return .int(result.0)
  }

  private static func checked(_ result: Double) throws(Trouble) -> Value {
    guard result.isFinite else { throw .fault("arithmetic overflow") }
    return .double(result)
  }

  private static func doubles(
    _ a: Value,
    _ b: Value,
    _ sign: String
  ) throws(Trouble) -> (Double, Double) {
    switch (a, b) {
    case (.double(let a), .double(let b)): (a, b)
    case (.int(let a), .double(let b)): (Double(a), b)
    case (.double(let a), .int(let b)): (a, Double(b))
    default: throw .fault("\"\(sign)\" does not go with \(a.kind) and \(b.kind)")
    }
  }

  private static func add(_ a: Value, _ b: Value) throws(Trouble) -> Value {
    switch (a, b) {
    case (.int(let a), .int(let b)): return try checked(a.addingReportingOverflow(b))
    case (.string(let a), .string(let b)):
      guard a.utf8.count + b.utf8.count <= largest else { throw .fault("the string is too long") }
      return .string(a + b)
    case (.array(let a), .array(let b)):
      guard a.count + b.count <= largest else { throw .fault("the array is too long") }
      return .array(a + b)
    default:
      let (a, b) = try doubles(a, b, "+")
      return try checked(a + b)
    }
  }

  private static func subtract(_ a: Value, _ b: Value) throws(Trouble) -> Value {
    if case .int(let a) = a, case .int(let b) = b {
      return try checked(a.subtractingReportingOverflow(b))
    }
    let (a, b) = try doubles(a, b, "-")
    return try checked(a - b)
  }

  private static func multiply(_ a: Value, _ b: Value) throws(Trouble) -> Value {
    if case .int(let a) = a, case .int(let b) = b {
      return try checked(a.multipliedReportingOverflow(by: b))
    }
    let (a, b) = try doubles(a, b, "*")
    return try checked(a * b)
  }

  private static func divide(_ a: Value, _ b: Value) throws(Trouble) -> Value {
    if case .int(let a) = a, case .int(let b) = b {
      guard b != 0 else { throw .fault("division by zero") }
      return try checked(a.dividedReportingOverflow(by: b))
    }
    let (a, b) = try doubles(a, b, "/")
    guard b != 0 else { throw .fault("division by zero") }
    return try checked(a / b)
  }

  private static func remainder(_ a: Value, _ b: Value) throws(Trouble) -> Value {
    if case .int(let a) = a, case .int(let b) = b {
      guard b != 0 else { throw .fault("division by zero") }
      return try checked(a.remainderReportingOverflow(dividingBy: b))
    }
    let (a, b) = try doubles(a, b, "%")
    guard b != 0 else { throw .fault("division by zero") }
    return try checked(a.truncatingRemainder(dividingBy: b))
  }
}

// MARK: - Order and ranges

extension Arithmetic {
  /// No string a closure makes has more octets, no array more elements.
  static let largest = 1 << 20

  private static func less(_ a: Value, _ b: Value, _ sign: String) throws(Trouble) -> Bool {
    switch (a, b) {
    case (.int(let a), .int(let b)): return a < b
    case (.string(let a), .string(let b)): return a < b
    default:
      let (a, b) = try doubles(a, b, sign)
      return a < b
    }
  }

  private static func lessOrEqual(_ a: Value, _ b: Value, _ sign: String) throws(Trouble) -> Bool {
    switch (a, b) {
    case (.int(let a), .int(let b)): return a <= b
    case (.string(let a), .string(let b)): return a <= b
    default:
      let (a, b) = try doubles(a, b, sign)
      return a <= b
    }
  }

  private static func range(_ a: Value, _ b: Value, closed: Bool) throws(Trouble) -> Value {
    guard case .int(let low) = a, case .int(let high) = b else {
      throw .fault("a range needs two Ints, not \(a.kind) and \(b.kind)")
    }
    guard low <= high else { throw .fault("a range can not go down") }
    let (length, overflow) = high.subtractingReportingOverflow(low)
    guard !overflow, length < 100_000 else { throw .fault("the range is too long") }
    return .array((closed ? Array(low...high) : Array(low..<high)).map(Value.int))
  }
}
