/// The transport's own few timers, by due time.
struct DelayedWork {
  private var entries: [(due: UInt64, work: () -> Void)] = []

  var nextDue: UInt64? { entries.first?.due }

  /// Adds work; most of it is due last, so it is looked for from the end.
  mutating func add(_ due: UInt64, _ work: @escaping () -> Void) {
    let place = entries.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
    entries.insert((due, work), at: place)
  }

  /// Removes the work that is due.
  mutating func takeDue(at now: UInt64) -> [() -> Void] {
    let count = entries.firstIndex { $0.due > now } ?? entries.count
    defer { entries.removeFirst(count) }
    return entries.prefix(count).map(\.work)
  }
}
