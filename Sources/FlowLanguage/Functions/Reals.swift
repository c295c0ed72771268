import Glibc

/// What the functions of real numbers do, which give a Double; the caller has checked the kinds.
enum Reals {
  static func squareRoot(_ value: Value) throws(EvaluationError) -> Value {
    let number = value.real
    guard number >= 0 else { throw .fault("sqrt needs a number of at least 0, not \(value)") }
    return .double(number.squareRoot())
  }

  static func power(_ base: Value, _ exponent: Value) throws(EvaluationError) -> Value {
    let result = pow(base.real, exponent.real)
    guard !result.isNaN else {
      throw .fault("pow(\(base), \(exponent)) is no real number")
    }
    return try checked(result)
  }

  static func exponential(_ value: Value) throws(EvaluationError) -> Value {
    try checked(exp(value.real))
  }

  static func logarithm(_ value: Value) throws(EvaluationError) -> Value {
    try logarithm(value, "log") { log($0) }
  }

  static func logarithm2(_ value: Value) throws(EvaluationError) -> Value {
    try logarithm(value, "log2") { log2($0) }
  }

  static func logarithm10(_ value: Value) throws(EvaluationError) -> Value {
    try logarithm(value, "log10") { log10($0) }
  }

  private static func logarithm(
    _ value: Value,
    _ name: String,
    _ body: (Double) -> Double
  ) throws(EvaluationError) -> Value {
    let number = value.real
    guard number > 0 else { throw .fault("\(name) needs a number above 0, not \(value)") }
    return try checked(body(number))
  }

  private static func checked(_ result: Double) throws(EvaluationError) -> Value {
    guard result.isFinite else { throw .overflow }
    return .double(result)
  }
}
