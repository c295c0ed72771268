internal import FlowLanguage
internal import FlowSubjects

/// What a watch has seen of a subject.
struct WatchedSubject {
  private var published: Int
  private var moved: Int64
  /// How often it was found starved, working and blocked.
  private(set) var time = [0, 0, 0]

  init(_ subject: ServerSubject, at time: Int64) {
    published = subject.published
    moved = time - WatchedRun.span
  }

  mutating func look(_ state: StageState) { time[state.rawValue] += 1 }

  mutating func follow(_ subject: ServerSubject, at time: Int64) {
    guard subject.published != published else { return }
    published = subject.published
    moved = time
  }

  /// Whether values came in the last seconds.
  func isMoving(at time: Int64) -> Bool { time - moved < WatchedRun.span }
}

extension Engine {
  /// What a subject does: blocked is one that nobody reads, or whose readers do not all ask.
  func state(of subject: ServerSubject) -> StageState {
    let parts = readable(subject)
    let readers = parts.reduce(0) { $0 + $1.outletCount }
    let starved = parts.reduce(0) { $0 + $1.starved }
    let isBlocked = subject.isLossless ? starved > 0 || readers == 0 : starved == readers
    return isBlocked ? .blocked : waiting(at: subject) > 0 ? .working : .starved
  }
}
