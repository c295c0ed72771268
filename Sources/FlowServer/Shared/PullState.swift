/// How many values an inlet has asked for, and when it has heard of them.
struct PullState {
  /// Values asked for that have not come.
  private(set) var outstanding = 0
  /// Pulls since nothing was outstanding.
  private var pulls = 0
  private(set) var lastHeard: Int64 = 0
  private var lastPull: Int64 = 0
  /// Since when nobody here has had room while something waits.
  private(set) var laggingSince: Int64?

  private static let mostPulls = 8
  /// How long a pull may be without a sign of life, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  mutating func begin(_ now: Int64) { (lastHeard, lastPull) = (now, now) }

  mutating func forget() { (outstanding, pulls) = (0, 0) }

  mutating func hear(_ now: Int64) { lastHeard = now }

  mutating func remove(_ count: Int) { outstanding = max(0, outstanding - count) }

  /// Returns how many of the wanted values to ask for now: small pulls are put together, since NATS serves all that
  /// wait in turns.
  mutating func pull(_ wanted: Int, _ now: Int64) -> Int {
    guard wanted > 0, pulls < Self.mostPulls || wanted >= outstanding else { return 0 }
    if outstanding == 0 {
      pulls = 0
      lastHeard = now
    }
    outstanding += wanted
    pulls += 1
    lastPull = now
    laggingSince = nil
    return wanted
  }

  func isSilent(_ now: Int64) -> Bool { outstanding > 0 && now - lastHeard >= Self.patience }

  /// Returns whether a sign of life is due, if one is given each `period` nanoseconds.
  mutating func giveSign(each period: Int64, _ now: Int64) -> Bool {
    guard outstanding == 0, now - lastPull >= period else { return false }
    lastPull = now
    return true
  }

  /// A value waits in the stream that nobody here has room for, or none does.
  mutating func lag(_ isLagging: Bool, since now: Int64) {
    laggingSince = isLagging ? laggingSince ?? now : nil
  }

  /// Begins to measure the lag again.
  mutating func lagAgain(_ now: Int64) { laggingSince = now }
}
