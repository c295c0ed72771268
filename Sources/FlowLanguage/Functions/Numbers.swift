/// What the functions of numbers do; the caller has checked the kinds.
enum Numbers {
  static func int(_ value: Value) throws(EvaluationError) -> Value {
    let whole: Int?
    switch value {
    case .string(let text): return Int(text).map(Value.int) ?? .null
    case .number(let number): whole = number.truncated
    case .double(let number): whole = Int(exactly: number.rounded(.towardZero))
    case .uint: whole = nil
    default: return value
    }
    guard let whole else { throw .fault("\(value) does not fit in an Int") }
    return .int(whole)
  }

  static func double(_ value: Value) -> Value {
    guard case .string(let text) = value else { return .double(value.real) }
    return Double(text).flatMap { $0.isFinite ? .double($0) : nil } ?? .null
  }

  static func abs(_ value: Value) throws(EvaluationError) -> Value {
    switch value {
    case .int(let number) where number < 0: try Arithmetic.negate(value)
    case .double(let number): .double(number.magnitude)
    default: value
    }
  }

  static func round(_ value: Value) -> Value { rounded(value, .toNearestOrAwayFromZero) }

  static func floor(_ value: Value) -> Value { rounded(value, .down) }

  static func ceil(_ value: Value) -> Value { rounded(value, .up) }

  /// An Int is whole already.
  private static func rounded(_ value: Value, _ rule: FloatingPointRoundingRule) -> Value {
    if case .double(let number) = value { .double(number.rounded(rule)) } else { value }
  }

  static func least(_ values: [Value]) throws(EvaluationError) -> Value { try Arrays.least(values) }

  static func greatest(_ values: [Value]) throws(EvaluationError) -> Value {
    try Arrays.greatest(values)
  }

  static func fail(_ reason: Value) throws(EvaluationError) -> Value {
    throw .failed(reason.plainText)
  }
}
