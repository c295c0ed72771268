/// The times at which values are due, so that all senders in turn make a steady rate.
///
/// Value number `n` of all is due `n / rate` after the start, whatever happened to those before it.
struct Pacing: Equatable {
  let start: UInt64
  let senders: Int
  /// Values a second, of all senders together.
  let rate: Double
  /// The number of values that were due at the last `advance`, of all senders together.
  private(set) var passed: UInt64 = 0

  /// When the next value is due.
  var nextDue: UInt64 { due(passed) }

  /// The numbers of the values that have become due since last looked.
  mutating func advance(to now: UInt64) -> Range<UInt64> {
    let first = passed
    passed = max(passed, count(at: now))
    return first..<passed
  }

  /// When the value with this number, counted over all senders, is due; at most 30 years ahead.
  func due(_ number: UInt64) -> UInt64 {
    start + UInt64(min(Double(number) * 1_000_000_000 / rate, 1e18))
  }

  /// When the value with this number of `sender` is due.
  func due(_ number: UInt64, of sender: Int) -> UInt64 {
    due(number * UInt64(senders) + UInt64(sender))
  }

  /// The number of values due by `now`, of all senders together.
  func count(at now: UInt64) -> UInt64 {
    guard now >= start else { return 0 }
    var count = UInt64(Double(now - start) * rate / 1_000_000_000)
    while count > 0, due(count - 1) > now { count -= 1 }
    while due(count) <= now { count += 1 }
    return count
  }

  /// The number of the first `count` values that belong to `sender`.
  func share(of sender: Int, in count: UInt64) -> UInt64 {
    let (rounds, rest) = count.quotientAndRemainder(dividingBy: UInt64(senders))
    return rounds + (UInt64(sender) < rest ? 1 : 0)
  }
}
