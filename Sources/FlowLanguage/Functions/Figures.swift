/// What the functions do that make one number of those of an array; the caller has checked the kinds.
enum Figures {
  /// Ints make an Int, which may not fit.
  static func sum(_ value: Value) throws(EvaluationError) -> Value {
    var sum = Scalar.int(0)
    for number in try scalars(value, "sum") {
      guard let next = Plus.scalars(sum, number) else { throw .overflow }
      sum = next
    }
    return Value(sum)
  }

  static func average(_ value: Value) throws(EvaluationError) -> Value {
    let numbers = try doubles(value, "average")
    guard !numbers.isEmpty else { return .null }
    let average = numbers.reduce(0, +) / Double(numbers.count)
    guard average.isFinite else { throw .overflow }
    return .double(average)
  }

  static func median(_ value: Value) throws(EvaluationError) -> Value {
    try quantile(0.5, of: doubles(value, "median"))
  }

  static func percentile(_ value: Value, _ share: Value) throws(EvaluationError) -> Value {
    let part: Double =
      switch share {
      case .int(let number): Double(number)
      case .double(let number): number
      default: 0
      }
    return try quantile(part, of: doubles(value, "percentile"))
  }

  /// The number below which that part of the others is; between two of them on the line that joins
  /// them, as NumPy has it.
  private static func quantile(
    _ part: Double,
    of numbers: [Double]
  ) throws(EvaluationError) -> Value {
    guard let last = numbers.indices.last else { return .null }
    let sorted = numbers.sorted()
    let place = part * Double(last)
    let index = min(Int(place), last)
    let (low, high) = (sorted[index], sorted[min(index + 1, last)])
    let weight = place - Double(index)
    let gap = high - low
    guard gap.isFinite else { return .double(low * (1 - weight) + high * weight) }
    return .double(weight < 0.5 ? low + gap * weight : high - gap * (1 - weight))
  }

  private static func doubles(_ value: Value, _ name: String) throws(EvaluationError) -> [Double] {
    var numbers: [Double] = []
    for scalar in try scalars(value, name) {
      switch scalar {
      case .int(let number): numbers.append(Double(number))
      case .double(let number): numbers.append(number)
      case .null, .bool: break
      }
    }
    return numbers
  }

  private static func scalars(_ value: Value, _ name: String) throws(EvaluationError) -> [Scalar] {
    var scalars: [Scalar] = []
    scalars.reserveCapacity(value.elements.count)
    for element in value.elements {
      switch element.decoded {
      case .int(let number): scalars.append(.int(number))
      case .double(let number):
        guard number.isFinite else { throw .overflow }
        scalars.append(.double(number))
      default: throw .fault("\(name) needs numbers, not \(element.kind)")
      }
    }
    return scalars
  }
}
