/// What was read of something over the last seconds.
struct RecentReadings<Reading> {
  private var all: [(time: Int64, reading: Reading)] = []

  /// Keeps what is read at a time, and forgets what is too old.
  mutating func keep(_ reading: Reading, at time: Int64) {
    all.removeAll { time - $0.time > WatchClock.span }
    all.append((time, reading))
  }

  /// The first and the last reading, and the nanoseconds between; nil if no time lies between any two.
  var ends: (old: Reading, new: Reading, nanoseconds: Double)? {
    guard let old = all.first, let new = all.last, new.time > old.time else { return nil }
    return (old.reading, new.reading, Double(new.time - old.time))
  }
}
