/// What is made of numbers that come one after the other.
protocol Statistic: AnyObject {
  /// Takes a number.
  func take(_ number: Scalar) throws(EvaluationError)
  /// Returns the result for all numbers added so far, or `nil` without numbers.
  func result() -> Value?
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

  func take(_ number: Scalar) throws(EvaluationError) {
    guard numbers.count < Compiler.mostHeld else {
      throw .fault("more than \(Compiler.mostHeld) values wait")
    }
    guard let number = number.double else { return }
    do throws(PipelineFailure) {
      try held.enter(.double(number))
    } catch {
      throw .limit(error.message)
    }
    numbers.append(number)
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
