/// What a stage does with a value, by what its closure makes of it.
enum Verdict {
  /// Publishes what the closure makes.
  case publish(Publishing)
  /// Publishes the value or not, by whether the closure is true of it.
  case judge(Judging)

  /// Which results are published.
  enum Publishing {
    case everything
    case unlessNull

    /// Returns what the stage does with a result of its closure.
    @inline(__always)
    func of(_ result: Value) -> StepResult {
      if case .unlessNull = self, case .null = result.decoded { return .leaveOut }
      return .publish(result)
    }
  }

  /// How a stage treats a value, by whether its closure is true of it.
  enum Judging {
    /// Lets the value pass if the closure is true of it.
    case passIfTrue
    /// Lets the value pass and finishes if the closure is true of it.
    case lastIfTrue
    /// Lets the value pass, or finishes if the closure is not true of it.
    case finishUnlessTrue

    /// Returns what the stage does with the value.
    @inline(__always)
    func of(_ isTrue: Bool) -> StepResult {
      switch self {
      case .passIfTrue: isTrue ? .pass : .leaveOut
      case .lastIfTrue: isTrue ? .last : .leaveOut
      case .finishUnlessTrue: isTrue ? .pass : .finish
      }
    }
  }
}
