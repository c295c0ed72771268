internal import FlowSubjects
internal import FlowWire

/// The values of a subject that are followed, from when it takes one to when all subscriptions have it.
///
/// As of a pipeline it is told by looking, so that the way of a value has no instruction more. Publishers
/// take turns: where several have values that wait, the times of two may be exchanged.
struct FollowedArrivals {
  private(set) var times = DeliveryTimes()
  private var followed: [(since: Int64, number: Int)] = []
  private var pace = FollowingPace()
  private var delivered: Int?

  /// Looks where the values are that are followed, and begins with one that has just come.
  ///
  /// Values of a subject with a backend go there and come back: none are followed.
  mutating func look(at subject: ServerSubject, now: Int64) {
    guard subject.backend == nil else { return }
    let progress = subject.progress
    let hasDelivered = delivered.map { subject.delivered > $0 } ?? false
    delivered = subject.delivered
    let isDue = pace.isDue(progress.taken, at: now)
    // Whoever comes later may read what is kept, for which nobody waits now.
    if subject.outletCount == 0, progress.kept != nil { followed.removeAll() }
    for place in followed.indices.reversed() {
      let (since, number) = followed[place]
      let hasPassed = number <= progress.passed
      if hasPassed { times.add(now - since) }
      if hasPassed || progress.hasLost(number) { followed.remove(at: place) }
    }
    guard isDue else { return }
    if progress.taken > progress.passed {
      if followed.count < FollowingPace.most { followed.append((now, progress.taken)) }
    } else if hasDelivered {
      times.add(0)
    }
  }
}

/// When a value is followed next, and how many are at a time.
struct FollowingPace {
  static let most = 8
  /// How often one is begun with, in nanoseconds.
  private static let pause: Int64 = 100_000_000

  private var last: (time: Int64, count: Int)?

  /// Whether one has come since the last that was followed, long enough after it; `count` have come.
  mutating func isDue(_ count: Int, at now: Int64) -> Bool {
    let isDue = last.map { now - $0.time >= Self.pause && count > $0.count } ?? false
    if last == nil || isDue { last = (now, count) }
    return isDue
  }
}
