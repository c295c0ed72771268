/// The readings of a counter during the last seconds.
struct RecentReadings<Reading> {
  private var all: [(time: Int64, reading: Reading)] = []

  /// Adds a reading, and drops those that are too old.
  mutating func keep(_ reading: Reading, at time: Int64) {
    all.removeAll { time - $0.time > Watch.span }
    all.append((time, reading))
  }

  /// The first and the last reading, and the time between them; nil if that is zero.
  var ends: (old: Reading, new: Reading, nanoseconds: Double)? {
    guard let old = all.first, let new = all.last, new.time > old.time else { return nil }
    return (old.reading, new.reading, Double(new.time - old.time))
  }
}
