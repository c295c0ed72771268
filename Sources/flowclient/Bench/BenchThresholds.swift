/// The limits that a bench must keep to exit with 0.
struct BenchThresholds: Equatable {
  /// 99 % of the values take no longer than this.
  var longestP99: Duration?
  /// The least number of values per second, of all clients together.
  var leastRate: Double?

  /// The limits that were not kept, in words.
  func misses(p99 nanoseconds: UInt64?, rate: Double) -> [String] {
    var misses: [String] = []
    if let longestP99, let nanoseconds, nanoseconds > UInt64(longestP99.inNanoseconds) {
      let (taken, most) = (Figure.time(nanoseconds), Figure.time(UInt64(longestP99.inNanoseconds)))
      misses.append("p99 is \(taken), above \(most) (--max-p99)")
    }
    if let leastRate, rate < leastRate {
      misses.append(
        "the rate is \(Figure.rate(rate)), below \(Figure.rate(leastRate)) (--min-rate)"
      )
    }
    return misses
  }
}
