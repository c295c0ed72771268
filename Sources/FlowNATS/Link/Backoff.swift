/// The delay before a retry, which doubles up to a limit.
package struct Backoff: Equatable, Sendable {
  private let first: Int64
  private let most: Int64
  private var failures: Int64 = 0

  /// Both times are in nanoseconds.
  package init(_ first: Int64, _ most: Int64) {
    self.first = first
    self.most = most
  }

  /// Returns the delay before the next try, and doubles it.
  package mutating func next() -> Int64 {
    defer { failures += 1 }
    return min(most, first << min(failures, 16))
  }

  package mutating func reset() { failures = 0 }

  /// Whether no delay has been taken since the last reset.
  package var isFirst: Bool { failures == 0 }
}
