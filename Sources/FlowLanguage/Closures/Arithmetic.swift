/// What is done with one value.
enum Arithmetic {
  static func negate(_ value: Value) throws(EvaluationError) -> Value {
    if let result = Scalar(value).flatMap(negate) { return Value(result) }
    if value.isNumber { throw .overflow }
    throw .fault("\"-\" needs a number, not \(value.kind)")
  }

  @inline(__always)
  static func negate(_ scalar: Scalar) -> Scalar? {
    switch scalar {
    case .int(let number):
      let (result, overflow) = 0.subtractingReportingOverflow(number)
      return overflow ? nil : .int(result)
    case .uint(let number): return number == Int.min.magnitude ? .int(.min) : nil
    case .double(let number): return .double(-number)
    case .null, .bool: return nil
    }
  }

  static func truth(_ value: Value, _ what: String) throws(EvaluationError) -> Bool {
    if case .bool(let flag) = value { return flag }
    throw .fault("\(what) needs a Bool, not \(value.kind)")
  }
}
