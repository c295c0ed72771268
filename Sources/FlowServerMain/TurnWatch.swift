/// Finds turns of the loop that take long, by looking at it from time to time.
struct TurnWatch {
  /// The least duration that counts as long, in nanoseconds.
  static let long: UInt64 = 1_000_000_000
  /// The usual time between looks, in nanoseconds; shorter when a turn is about to become long.
  static let usualPause: UInt64 = 250_000_000
  static let shortPause: UInt64 = 50_000_000

  enum Finding: Equatable {
    /// The turn takes long; reported once for each turn.
    case long
    /// A reported turn is over.
    case ended
  }

  /// How long the turn has taken, in nanoseconds.
  private(set) var lasted: UInt64 = 0

  private var turn: UInt64 = 0
  private var lastLook: UInt64?
  /// How long in this turn the process itself did not run.
  private var away: UInt64 = 0
  private var isTold = false

  var pause: UInt64 { lasted * 2 >= Self.long ? Self.shortPause : Self.usualPause }

  /// Examines the turn that began at `began`, if there is one, at the time `now`.
  ///
  /// Call it after each `pause`. If more than a second has passed beyond that, the process or the
  /// machine was stopped, and that time is not counted.
  mutating func examine(_ turn: UInt64?, began: UInt64 = 0, now: UInt64) -> Finding? {
    let missed = lastLook.map { now - min(now, $0 + pause) } ?? 0
    lastLook = now
    guard let turn, turn == self.turn else {
      defer { begin(turn, began, now) }
      return isTold ? .ended : nil
    }
    if missed > Self.long { away += missed }
    lasted = now - min(now, began + away)
    guard lasted >= Self.long, !isTold else { return nil }
    isTold = true
    return .long
  }

  private mutating func begin(_ turn: UInt64?, _ began: UInt64, _ now: UInt64) {
    self.turn = turn ?? 0
    isTold = false
    away = 0
    lasted = turn == nil ? 0 : now - min(now, began)
  }
}
