internal import FlowLanguage
internal import FlowSubjects

/// What a watch has seen of a subject.
struct WatchedSubject {
  private var published: Int
  private var moved: Int64
  private var past = RecentReadings<StageFlow>()
  var lasting = LastingVerdict()
  private var arrivals = FollowedArrivals()
  /// How often it was found starved, working and blocked.
  private(set) var time = [0, 0, 0]

  init(sent: Int, at time: Int64) {
    published = sent
    moved = time - WatchedRun.span
  }

  /// How long values took that were followed.
  var times: DeliveryTimes { arrivals.times }

  mutating func look(_ state: StageState) { time[state.rawValue] += 1 }

  /// Looks where the values are that it follows.
  mutating func look(at subject: ServerSubject, now: Int64) {
    arrivals.look(at: subject, now: now)
  }

  /// Looks at what has changed; `sent` is how many values have come to it, also where they are kept
  /// elsewhere.
  mutating func follow(_ subject: ServerSubject, sent: Int, at time: Int64) {
    let flow = StageFlow(came: subject.published, went: subject.published, lost: subject.missed)
    past.keep(flow, at: time)
    guard sent != published else { return }
    published = sent
    moved = time
  }

  /// How many values a second came to it, and were missed by its subscriptions.
  var rates: StageRates? {
    past.ends.map { StageRates(from: $0.old, to: $0.new, in: $0.nanoseconds) }
  }

  /// Whether values came in the last seconds.
  func isMoving(at time: Int64) -> Bool { time - moved < WatchedRun.span }
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
