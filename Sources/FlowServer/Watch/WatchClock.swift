/// When a watch looks next.
///
/// The times between two looks vary at random: a pipeline that does the same each 20 ms would else
/// always be found doing the same.
struct WatchClock {
  /// How often what somebody has chosen is looked at, and all else, in nanoseconds.
  static let close: Int64 = 20_000_000
  static let wide: Int64 = 200_000_000
  /// How often a sample is told, and how often a verdict is made.
  static let quarter: Int64 = 250_000_000
  static let second: Int64 = 1_000_000_000
  /// Over how long rates and shares are told.
  static let span: Int64 = 4_000_000_000

  private var wide: Int64 = 0
  private var quarter: Int64 = 0
  private var second: Int64 = 0

  /// Whether the time in `next` has come; the next one is then a `pause` later, however late this one is.
  private static func isDue(_ next: inout Int64, _ pause: Int64, at now: Int64) -> Bool {
    guard now >= next else { return false }
    next = max(next + pause, now)
    return true
  }

  /// What is due at `now`; a second is due only together with a quarter, since counters are kept and judged in
  /// one look.
  mutating func due(at now: Int64) -> (isWide: Bool, isQuarter: Bool, isSecond: Bool) {
    let isWide = Self.isDue(&wide, Self.wide, at: now)
    let isQuarter = Self.isDue(&quarter, Self.quarter, at: now)
    return (isWide, isQuarter, isQuarter && Self.isDue(&second, Self.second, at: now))
  }

  /// How long to wait for the next look, by a number at random.
  static func pause(isClose: Bool, _ random: UInt64) -> Int64 {
    let middle = isClose ? close : wide
    return middle / 2 + Int64(random % UInt64(middle))
  }
}
