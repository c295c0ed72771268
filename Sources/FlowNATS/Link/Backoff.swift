/// How long to wait before something is tried again: twice as long each time, up to a limit.
package struct Backoff: Equatable, Sendable {
  private let first: Int64
  private let most: Int64
  private var failures: Int64 = 0

  /// Makes one of nanoseconds.
  package init(_ first: Int64, _ most: Int64) {
    self.first = first
    self.most = most
  }

  /// The time before the next try.
  package mutating func next() -> Int64 {
    defer { failures += 1 }
    return min(most, first << min(failures, 16))
  }

  package mutating func reset() { failures = 0 }

  /// Whether nothing has been tried yet.
  package var isFirst: Bool { failures == 0 }
}
