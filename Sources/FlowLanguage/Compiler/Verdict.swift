/// What a stage does with a value, by what its closure makes of it.
enum Verdict {
  /// Publishes what is made.
  case publish
  /// Publishes what is made, unless it is null.
  case publishUnlessNull
  /// Lets the value pass if that is true.
  case passIfTrue
  /// Lets the value pass and finishes if that is true.
  case lastIfTrue
  /// Lets the value pass, or finishes if that is not true.
  case finishUnlessTrue

  /// Whether what is made is published.
  var publishesResult: Bool {
    switch self {
    case .publish, .publishUnlessNull: true
    case .passIfTrue, .lastIfTrue, .finishUnlessTrue: false
    }
  }

  /// What to do with a result that is published.
  @inline(__always)
  func of(_ result: Value) -> StepResult {
    if case .publishUnlessNull = self, case .null = result.decoded { return .leaveOut }
    return .publish(result)
  }

  /// What to do with the value when the closure tells this of it.
  @inline(__always)
  func of(_ isTrue: Bool) -> StepResult {
    switch self {
    case .passIfTrue, .publish, .publishUnlessNull: isTrue ? .pass : .leaveOut
    case .lastIfTrue: isTrue ? .last : .leaveOut
    case .finishUnlessTrue: isTrue ? .pass : .finish
    }
  }
}
