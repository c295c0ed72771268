/// What is done with one value.
enum Arithmetic {
  static func negate(_ value: Value) throws(EvaluationError) -> Value {
    switch value {
    case .int(let number):
      let (result, overflow) = 0.subtractingReportingOverflow(number)
      guard !overflow else { throw .overflow }
      return .int(result)
    case .double(let number): return .double(-number)
    default: throw .fault("\"-\" needs a number, not \(value.kind)")
    }
  }

  static func truth(_ value: Value, _ what: String) throws(EvaluationError) -> Bool {
    if case .bool(let flag) = value { return flag }
    throw .fault("\(what) needs a Bool, not \(value.kind)")
  }
}
