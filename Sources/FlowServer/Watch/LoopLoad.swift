/// The share of time in which the event loop was busy, measured while a watch runs.
struct LoopLoad {
  /// The total, in nanoseconds.
  private(set) var busy: Int64 = 0
  private var past = RecentReadings<Int64>()

  /// The share during the last seconds.
  var share: Double {
    past.ends.map { min(1, Double($0.new - $0.old) / $0.nanoseconds) } ?? 0
  }

  mutating func add(_ nanoseconds: Int64) { busy += max(0, nanoseconds) }

  mutating func keep(at time: Int64) { past.keep(busy, at: time) }
}
