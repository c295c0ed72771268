internal import FlowLanguage
internal import FlowSubjects

final class WatchedSubject {
  private var past = RecentReadings<(figures: StageFigures, sent: Int)>()
  var lasting = LastingVerdict()
  private(set) var arrivals = FollowedArrivals()
  /// How often it was found starved, working and blocked.
  private(set) var time = [0, 0, 0]

  func look(at subject: ServerSubject, in state: StageState, now: Int64) {
    time[state.rawValue] += 1
    arrivals.moveOn(subject, at: now)
  }

  /// Follows a value that has come in the turn from `start` to `end`, if it is due.
  func turnEnds(_ subject: ServerSubject, from start: Int64, to end: Int64) {
    arrivals.turnEnds(subject, from: start, to: end)
  }

  func forgetCount() { arrivals.forgetCount() }

  /// Keeps the present counters; `sent` is the number of values that came, including those of a backend.
  func keep(_ subject: ServerSubject, sent: Int, at time: Int64) {
    let published = subject.published
    let figures = StageFigures(taken: published, sent: published, dropped: subject.missed)
    past.keep((figures, sent), at: time)
  }

  /// Values per second in, and missed by subscriptions.
  var rates: StageRates? {
    past.ends.map { StageRates(from: $0.old.figures, to: $0.new.figures, in: $0.nanoseconds) }
  }

  /// Whether values came in the last seconds.
  var isMoving: Bool { past.ends.map { $0.old.sent != $0.new.sent } ?? false }
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
