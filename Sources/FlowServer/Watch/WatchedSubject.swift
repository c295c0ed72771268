internal import FlowLanguage
internal import FlowSubjects

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

  /// Records changes; `sent` is the number of values that came, including those of a backend.
  func follow(_ subject: ServerSubject, sent: Int, at time: Int64) {
    let flow = StageFlow(came: subject.published, went: subject.published, lost: subject.missed)
    past.keep([flow], at: time)
    if sent != self.sent { (self.sent, moved) = (sent, time) }
  }

  /// Values per second in, and missed by subscriptions.
  var rates: StageRates? { past.rates?.first }

  /// Whether values came in the last seconds.
  func isMoving(at time: Int64) -> Bool { time - moved < WatchClock.span }
}

extension Engine {
  /// How many values have come to a subject on this server.
  func sent(to subject: ServerSubject) -> Int {
    subject.published + (subject.backend?.intake.published ?? 0)
  }

  /// The state of a subject; it is blocked without readers, or if not all readers have demand.
  func state(of subject: ServerSubject) -> StageState {
    let parts = subject.readable
    let readers = parts.reduce(0) { $0 + $1.outletCount }
    let starved = parts.reduce(0) { $0 + $1.starved }
    let isBlocked = subject.isLossless ? starved > 0 || readers == 0 : starved == readers
    return isBlocked ? .blocked : subject.waitingInAll > 0 ? .working : .starved
  }
}
