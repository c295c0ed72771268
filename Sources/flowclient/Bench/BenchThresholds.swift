/// What has to be reached for the answer to be yes.
struct BenchThresholds: Equatable {
  /// 99 % of the values take no longer than this.
  var longestP99: Duration?
  /// So many values a second at least, of all clients together.
  var leastRate: Double?

  /// What was not reached, in words.
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
