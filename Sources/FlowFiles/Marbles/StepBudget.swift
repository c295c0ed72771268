/// How many steps the sources of a row may take in a test: about a hundred thousand.
final class StepBudget {
  private(set) var isExhausted = false
  private var count: UInt64 = 0
  private let isOver: () -> Bool

  /// Makes one that ends early when it `isOver`.
  init(isOver: @escaping () -> Bool = { false }) { self.isOver = isOver }

  /// How often a time slice may look: it does at least every 64 steps.
  static let looks: UInt64 = 1_563

  /// Another look.
  func look() -> UInt64 {
    count += 1
    return isOver() ? .max : count
  }

  func exhaust() { isExhausted = true }
}
