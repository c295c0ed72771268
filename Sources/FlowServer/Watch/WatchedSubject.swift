internal import FlowLanguage
internal import FlowSubjects

/// What a watch has seen of a subject.
final class WatchedSubject {
  private var sent: Int
  private var moved: Int64
  private var past = RecentReadings<[StageFlow]>()
  var lasting = LastingVerdict()
  var arrivals = FollowedArrivals()
  /// How often it was found starved, working and blocked.
  var time = [0, 0, 0]

  init(sent: Int, at time: Int64) {
    self.sent = sent
    moved = time - WatchClock.span
  }

  /// Looks at what has changed; `sent` is how many values have come to it, also where they are kept
  /// elsewhere.
  func follow(_ subject: ServerSubject, sent: Int, at time: Int64) {
    let flow = StageFlow(came: subject.published, went: subject.published, lost: subject.missed)
    past.keep([flow], at: time)
    if sent != self.sent { (self.sent, moved) = (sent, time) }
  }

  /// How many values a second came to it, and were missed by its subscriptions.
  var rates: StageRates? { past.rates?.first }

  /// Whether values came in the last seconds.
  func isMoving(at time: Int64) -> Bool { time - moved < WatchClock.span }
}

extension Engine {
  /// How many values have come to a subject here, stored or handed on.
  func sent(to subject: ServerSubject) -> Int {
    subject.published + (subject.backend?.intake.published ?? 0)
  }

  /// What a subject does: blocked is one that nobody reads, or whose readers do not all ask.
  func state(of subject: ServerSubject) -> StageState {
    let parts = subject.readable
    let readers = parts.reduce(0) { $0 + $1.outletCount }
    let starved = parts.reduce(0) { $0 + $1.starved }
    let isBlocked = subject.isLossless ? starved > 0 || readers == 0 : starved == readers
    return isBlocked ? .blocked : subject.waitingInAll > 0 ? .working : .starved
  }
}
