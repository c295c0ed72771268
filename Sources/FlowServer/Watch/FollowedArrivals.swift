internal import FlowSubjects
internal import FlowWire

/// Follows values of a subject from their arrival until all subscriptions have them.
///
/// It samples counters, as for pipelines. Publishers take turns, so the times of two waiting values
/// may be exchanged.
struct FollowedArrivals {
  private(set) var times = DeliveryTimes()
  private var followed: [(since: Int64, number: Int)] = []
  private var pace = FollowingPace()
  private var delivered: Int?

  /// Moves followed values on, and starts to follow a new one.
  ///
  /// Subjects with a backend are not followed.
  mutating func look(at subject: ServerSubject, now: Int64) {
    guard subject.backend == nil else { return }
    let progress = subject.progress
    let hasDelivered = delivered.map { subject.delivered > $0 } ?? false
    delivered = subject.delivered
    let isDue = pace.isDue(progress.taken, at: now)
    // Kept values may be read by later subscriptions, but nobody waits for them.
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

/// Decides when a value is followed next, and how many at a time.
struct FollowingPace {
  static let most = 8
  /// The least time between two followed values, in nanoseconds.
  private static let pause: Int64 = 100_000_000

  private var last: (time: Int64, count: Int)?

  /// Whether a new value has come, long enough after the last followed one; `count` have come.
  mutating func isDue(_ count: Int, at now: Int64) -> Bool {
    let isDue = last.map { now - $0.time >= Self.pause && count > $0.count } ?? false
    if last == nil || isDue { last = (now, count) }
    return isDue
  }
}
