/// Tells from looks at the loop which of its turns take long.
struct TurnWatch {
  /// The least that is long, in nanoseconds.
  static let long: UInt64 = 1_000_000_000
  /// How far apart looks are, in nanoseconds: less so while a turn is about to become a long one.
  static let usualPause: UInt64 = 250_000_000
  static let shortPause: UInt64 = 50_000_000

  enum Finding: Equatable {
    /// The turn takes long; told once of each.
    case long
    /// A turn that was told of is over.
    case ended
  }

  /// How long the turn has taken, in nanoseconds.
  private(set) var lasted: UInt64 = 0

  private var turn: UInt64 = 0
  private var lastLook: UInt64?
  /// For how long nobody looked, in this turn.
  private var away: UInt64 = 0
  private var isTold = false

  /// How long to wait until the next look.
  var pause: UInt64 { lasted * 2 >= Self.long ? Self.shortPause : Self.usualPause }

  /// Looks at the turn that is under way, which began at `began`, or at none, at the time `now`.
  ///
  /// Who looks does so after each `pause`. If more than a second has passed besides, the whole
  /// process was stopped, or the machine slept: that is nobody's turn.
  mutating func look(at turn: UInt64?, began: UInt64 = 0, now: UInt64) -> Finding? {
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
