/// Counts a frequent event that is reported at most once a second.
struct OncePerSecond {
  private static let pause: Int64 = 1_000_000_000

  private var count = 0
  private var nextReport = Int64.min

  /// Counts one event; returns how many to report now.
  mutating func add(at now: Int64) -> Int? {
    count += 1
    guard now >= nextReport else { return nil }
    defer { count = 0 }
    nextReport = now + Self.pause
    return count
  }
}
