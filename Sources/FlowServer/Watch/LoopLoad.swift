/// For how much of its time the event loop was at work, while somebody watches.
struct LoopLoad {
  /// In all, in nanoseconds.
  private(set) var busy: Int64 = 0
  private var past: [(time: Int64, busy: Int64)] = []

  /// The share of the last seconds.
  var share: Double {
    guard let old = past.first, let new = past.last, new.time > old.time else { return 0 }
    return min(1, Double(new.busy - old.busy) / Double(new.time - old.time))
  }

  mutating func add(_ nanoseconds: Int64) { busy += max(0, nanoseconds) }

  mutating func keep(at time: Int64) {
    past.removeAll { time - $0.time > WatchedRun.span }
    past.append((time, busy))
  }
}
