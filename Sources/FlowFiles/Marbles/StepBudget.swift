/// How many steps the sources of a row may take in a test: about a hundred thousand.
final class StepBudget {
  private(set) var isExhausted = false
  private var count: UInt64 = 0

  /// How often a time slice may look: it does at least every 64 steps.
  static let looks: UInt64 = 1_563

  /// Another look.
  func look() -> UInt64 {
    count += 1
    return count
  }

  func exhaust() { isExhausted = true }
}
