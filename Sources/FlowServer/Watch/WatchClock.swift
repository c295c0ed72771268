internal import FlowCore

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

  private var wide: Int64 = 0
  private var quarter: Int64 = 0
  private var second: Int64 = 0

  /// What is due at a time; a second is due only together with a quarter.
  struct Due {
    var isWide = false
    var isQuarter = false
    var isSecond = false
  }

  /// What is due at `now`; the next is due a little later, however late this one is.
  mutating func due(at now: Int64, isSparse: Bool) -> Due {
    var due = Due()
    if now >= wide {
      due.isWide = true
      wide = now + (isSparse ? Self.second : Self.wide)
    }
    if now >= quarter {
      due.isQuarter = true
      quarter = max(quarter + Self.quarter, now)
      // Each fourth quarter or so: counters are kept and judged in one look.
      if now >= second {
        due.isSecond = true
        second = max(second + Self.second, now)
      }
    }
    return due
  }

  /// How long to wait for the next look, by a number at random.
  static func pause(isClose: Bool, _ random: UInt64) -> Int64 {
    let middle = isClose ? close : wide
    return middle / 2 + Int64(random % UInt64(middle))
  }
}
