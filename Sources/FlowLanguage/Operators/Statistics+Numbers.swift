/// What is made of numbers that come one after the other.
protocol Statistic: AnyObject {
  /// Takes an Int or a finite Double.
  func take(_ number: Scalar) throws(EvaluationError)
  /// What there is to say of all that were taken, if there is anything; charges what that costs.
  func result(_ work: Work) -> Value?
}

/// The sum, as `+` makes it.
final class Total: Statistic {
  private var sum = Scalar.int(0)

  func take(_ number: Scalar) throws(EvaluationError) {
    guard let next = Plus.scalars(sum, number) else { throw .overflow }
    sum = next
  }

  func result(_ work: Work) -> Value? { Value(sum) }
}

/// The average, of which Ints are added up exactly as long as their sum is one.
final class Average: Statistic {
  private var sum = Scalar.int(0)
  private var count = 0

  func take(_ number: Scalar) throws(EvaluationError) {
    guard
      let next = Plus.scalars(sum, number)
        ?? Plus.scalars(.double(sum.double), .double(number.double))
    else { throw .overflow }
    sum = next
    count += 1
  }

  func result(_ work: Work) -> Value? {
    count == 0 ? nil : .double(sum.double / Double(count))
  }
}

/// The number that so large a part of all is below: between two of them on the line that joins
/// them, as NumPy has it if nothing else is said.
final class Ordered: Statistic {
  private var numbers: [Double] = []
  private let held: HeldValues
  private let fraction: Double

  init(_ held: HeldValues, fraction: Double) {
    self.held = held
    self.fraction = fraction
  }

  func take(_ number: Scalar) throws(EvaluationError) {
    guard numbers.count < Compiler.mostHeld else {
      throw .fault("more than \(Compiler.mostHeld) values wait")
    }
    let number = number.double
    do throws(PipelineFailure) {
      try held.enter(.double(number))
    } catch {
      throw .limit(error.message)
    }
    numbers.append(number)
  }

  func result(_ work: Work) -> Value? {
    defer {
      numbers = []
      held.clear()
    }
    guard !numbers.isEmpty else { return nil }
    work.charge(numbers.count * (Int.bitWidth - numbers.count.leadingZeroBitCount))
    numbers.sort()
    let place = fraction * Double(numbers.count - 1)
    let low = numbers[Int(place)]
    let high = numbers[min(Int(place) + 1, numbers.count - 1)]
    let rest = place - place.rounded(.down)
    // The distance of the two may be more than a Double can tell.
    let between = low + (high - low) * rest
    return .double(between.isFinite ? between : low * (1 - rest) + high * rest)
  }
}

extension Scalar {
  /// A number as a Double.
  fileprivate var double: Double {
    switch self {
    case .int(let number): Double(number)
    case .double(let number): number
    case .null, .bool: 0
    }
  }
}
