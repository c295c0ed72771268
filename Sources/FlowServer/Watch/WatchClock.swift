/// Decides when a watch samples next.
///
/// The intervals are random, because a pipeline with a period of 20 ms would otherwise always be
/// seen in the same state.
struct WatchClock {
  /// The sampling intervals of closely watched names, in nanoseconds.
  static let close: Int64 = 20_000_000
  static let wide: Int64 = 200_000_000
  /// The interval of samples.
  static let quarter: Int64 = 250_000_000
  static let second: Int64 = 1_000_000_000
  /// The time over which rates and shares are averaged.
  static let span: Int64 = 4_000_000_000

  private var wide: Int64 = 0
  private var quarter: Int64 = 0
  private var second: Int64 = 0

  /// Whether `next` has come; moves it on by `pause`, but not into the past.
  private static func isDue(_ next: inout Int64, _ pause: Int64, at now: Int64) -> Bool {
    guard now >= next else { return false }
    next = max(next + pause, now)
    return true
  }

  /// Returns what is due at `now`.
  ///
  /// A second is due only together with a quarter, because counters are kept and judged in one go.
  mutating func due(at now: Int64) -> (isWide: Bool, isQuarter: Bool, isSecond: Bool) {
    let isWide = Self.isDue(&wide, Self.wide, at: now)
    let isQuarter = Self.isDue(&quarter, Self.quarter, at: now)
    return (isWide, isQuarter, isQuarter && Self.isDue(&second, Self.second, at: now))
  }

  /// A random time until the next sample.
  static func pause(isClose: Bool, _ random: UInt64) -> Int64 {
    let middle = isClose ? close : wide
    return middle / 2 + Int64(random % UInt64(middle))
  }
}
