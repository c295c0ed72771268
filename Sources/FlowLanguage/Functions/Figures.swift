/// Implements the functions that reduce an array to one number, with the arithmetic of the operators
/// of the same names; the caller has checked the kinds.
enum Figures {
  static func sum(_ value: Value) throws(EvaluationError) -> Value {
    try result(of: Total(), "sum", value)
  }

  static func average(_ value: Value) throws(EvaluationError) -> Value {
    try result(of: Average(), "average", value)
  }

  private static func result(
    of statistic: some Statistic,
    _ name: String,
    _ value: Value
  ) throws(EvaluationError) -> Value {
    for element in value.elements { try statistic.take(Scalar(number: element, for: name)) }
    return statistic.result() ?? .null
  }

  static func median(_ value: Value) throws(EvaluationError) -> Value {
    try quantile(0.5, of: value, "median")
  }

  static func percentile(_ value: Value, _ share: Value) throws(EvaluationError) -> Value {
    try quantile(share.real, of: value, "percentile")
  }

  private static func quantile(
    _ part: Double,
    of value: Value,
    _ name: String
  ) throws(EvaluationError) -> Value {
    var numbers: [Double] = []
    for element in value.elements {
      let number = try Scalar(number: element, for: name)
      numbers.append(number.double ?? 0)
    }
    numbers.sort()
    return quantile(part, ofSorted: numbers) ?? .null
  }

  /// Returns the quantile `part` (from 0 to 1) of sorted numbers, or `nil` if there are none.
  ///
  /// Between two numbers it interpolates linearly, as NumPy does by default.
  static func quantile(_ part: Double, ofSorted numbers: [Double]) -> Value? {
    guard let last = numbers.indices.last else { return nil }
    let place = part * Double(last)
    let index = min(Int(place), last)
    let (low, high) = (numbers[index], numbers[min(index + 1, last)])
    let weight = place - Double(index)
    let gap = high - low
    // The difference of the two may be too large for a Double.
    guard gap.isFinite else { return .double(low * (1 - weight) + high * weight) }
    return .double(weight < 0.5 ? low + gap * weight : high - gap * (1 - weight))
  }
}
