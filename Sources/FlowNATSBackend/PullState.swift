/// Counts the values that an inlet has requested, and watches that they come.
struct PullState {
  private(set) var outstanding = 0
  /// Requests since nothing was outstanding.
  private var pulls = 0
  private(set) var lastHeard: Int64 = 0
  private var lastPull: Int64 = 0
  /// Since when a value has waited in the stream for room here.
  private(set) var laggingSince: Int64?

  private static let mostPulls = 8
  /// How long NATS may send nothing after a request, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  mutating func begin(_ now: Int64) { (lastHeard, lastPull) = (now, now) }

  mutating func forget() { (outstanding, pulls) = (0, 0) }

  mutating func hear(_ now: Int64) { lastHeard = now }

  mutating func remove(_ count: Int) { outstanding = max(0, outstanding - count) }

  /// Returns how many values to request now; combines small requests, which NATS serves in turns.
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

  /// Whether to send a keep-alive now, with one for each `period` nanoseconds.
  mutating func giveSign(each period: Int64, _ now: Int64) -> Bool {
    guard outstanding == 0, now - lastPull >= period else { return false }
    lastPull = now
    return true
  }

  /// Records whether a value waits in the stream for room here.
  mutating func lag(_ isLagging: Bool, since now: Int64) {
    laggingSince = isLagging ? laggingSince ?? now : nil
  }

  /// Restarts the measurement of the lag.
  mutating func lagAgain(_ now: Int64) { laggingSince = now }
}
