internal import FlowSubjects
internal import FlowWire

/// Follows values of a subject from their arrival until all subscriptions have them.
///
/// It reads counters, as for pipelines. Publishers take turns, so the times of two waiting values
/// may be exchanged.
struct FollowedArrivals {
  private(set) var times = DeliveryTimes()
  private var followed: [(since: Int64, number: Int)] = []
  private var pace = FollowingPace()
  private var delivered = 0

  /// Follows the newest value if one came in the turn from `start` to `end`, and moves on those
  /// that are followed.
  ///
  /// Subjects with a backend are not followed.
  mutating func turnEnds(_ subject: ServerSubject, from start: Int64, to end: Int64) {
    guard subject.backend == nil else { return }
    // What is kept is compared with each subscription, which takes too long for each turn.
    if subject.kept == nil { moveOn(subject, at: end) }
    let hasDelivered = subject.delivered > delivered
    delivered = subject.delivered
    guard pace.isDue(subject.published + subject.waitingCount, at: end) else { return }
    let progress = subject.progress
    if progress.taken > progress.passed {
      if followed.count < FollowingPace.most { followed.append((start, progress.taken)) }
    } else if hasDelivered {
      times.add(end - start)
    }
  }

  /// Forgets followed values that all subscriptions have now, or that some will not get.
  mutating func moveOn(_ subject: ServerSubject, at now: Int64) {
    guard !followed.isEmpty else { return }
    let progress = subject.progress
    // Kept values may be read by later subscriptions, but nobody waits for them.
    if subject.outletCount == 0, progress.kept != nil { followed.removeAll() }
    for place in followed.indices.reversed() {
      let (since, number) = followed[place]
      let hasPassed = number <= progress.passed
      if hasPassed { times.add(now - since) }
      if hasPassed || progress.hasLost(number) { followed.remove(at: place) }
    }
  }

  /// Takes what has come so far for no news.
  mutating func forgetCount() { pace.forgetCount() }
}

/// Decides when a value is followed next, and how many at a time.
struct FollowingPace {
  static let most = 8
  /// The least time between two followed values, in nanoseconds.
  private static let pause: Int64 = 100_000_000

  private var last: Int64?
  /// How many values had come by the end of the turn before; `nil` if that is unknown.
  private var count: Int?

  /// Whether a value has come in the turn that ends, long enough after the last followed one.
  mutating func isDue(_ count: Int, at now: Int64) -> Bool {
    let hasCome = self.count.map { count > $0 } ?? false
    self.count = count
    guard hasCome, last.map({ now - $0 >= Self.pause }) ?? true else { return false }
    last = now
    return true
  }

  mutating func forgetCount() { count = nil }
}
