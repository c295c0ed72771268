/// What is made of numbers that come one after the other.
protocol Statistic: AnyObject {
  /// Takes a number.
  func take(_ number: Scalar) throws(EvaluationError)
  /// Counts the number that `value` was, if it is kept; throws if there is no room for it.
  func keep(_ value: Value, in stage: String) throws(PipelineFailure)
  /// Returns the result for all numbers added so far, or `nil` without numbers.
  func result() -> Value?
}

extension Statistic {
  func keep(_ value: Value, in stage: String) throws(PipelineFailure) {}
}

/// The sum, as `+` makes it.
final class Total: Statistic {
  private var sum = Scalar.int(0)

  func take(_ number: Scalar) throws(EvaluationError) {
    guard let next = Plus.scalars(sum, number) else { throw .overflow }
    sum = next
  }

  func result() -> Value? { Value(sum) }
}

/// The average; integers are added exactly until their sum is too large for `+`.
final class Average: Statistic {
  private var sum = Scalar.int(0)
  private var count = 0

  func take(_ number: Scalar) throws(EvaluationError) {
    guard let next = Plus.scalars(sum, number) ?? Plus.scalars(sum.asDouble, number.asDouble) else {
      throw .overflow
    }
    sum = next
    count += 1
  }

  func result() -> Value? {
    count == 0 ? nil : sum.double.map { .double($0 / Double(count)) }
  }
}

/// The quantile `fraction` of all numbers.
final class Ordered: Statistic {
  private var numbers: [Double] = []
  private let held: HeldValues
  private let work: Work
  private let fraction: Double

  /// Makes one that holds its numbers in `held`, and charges `work` for sorting them.
  init(_ held: HeldValues, _ work: Work, fraction: Double) {
    self.held = held
    self.work = work
    self.fraction = fraction
  }

  func take(_ number: Scalar) {
    if let number = number.double { numbers.append(number) }
  }

  func keep(_ value: Value, in stage: String) throws(PipelineFailure) {
    guard numbers.count <= Compiler.mostHeld else {
      let most = Compiler.mostHeld
      throw PipelineFailure(.fault("more than \(most) values wait"), stage: stage, value: value)
    }
    try held.enter(.double(0))
  }

  func result() -> Value? {
    defer {
      numbers = []
      held.clear()
    }
    work.charge(numbers.count * (Int.bitWidth - numbers.count.leadingZeroBitCount))
    numbers.sort()
    return Figures.quantile(fraction, ofSorted: numbers)
  }
}

extension Scalar {
  /// The number as the nearest Double.
  fileprivate var asDouble: Scalar { double.map(Scalar.double) ?? self }
}
