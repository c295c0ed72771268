/// Counts what may come often and is told of once a second at most.
struct OncePerSecond {
  private static let pause: Int64 = 1_000_000_000

  private var count = 0
  private var nextReport = Int64.min

  /// Counts one; returns how many there are to be told of now.
  mutating func add(at now: Int64) -> Int? {
    count += 1
    guard now >= nextReport else { return nil }
    defer { count = 0 }
    nextReport = now + Self.pause
    return count
  }
}
