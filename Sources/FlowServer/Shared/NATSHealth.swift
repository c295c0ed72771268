/// Whether NATS can be used, and whether clients were told that it cannot.
struct NATSHealth {
  private enum State {
    case up
    case away(since: Int64)
    /// There is a connection, but JetStream cannot be used.
    case unusable(reason: String, since: Int64)
  }

  private var state: State
  private var wasReported = false

  /// How long JetStream must be unusable before that is reported, in nanoseconds: one that has just started may not
  /// be ready.
  static let patience: Int64 = 3_000_000_000

  init(now: Int64) { state = .away(since: now) }

  /// `up`, or `away` with the time since then.
  func text(_ now: Int64) -> String {
    switch state {
    case .up: "up"
    case .away(let since), .unusable(_, let since): "away away=\((now - since) / 1_000_000)ms"
    }
  }

  /// The reason why JetStream cannot be used, though there is a connection.
  var complaint: String? { if case .unusable(let reason, _) = state { reason } else { nil } }

  mutating func linkIsUp(_ now: Int64) -> ServerEvent? {
    defer {
      state = .up
      wasReported = false
    }
    guard case .away(let since) = state else { return nil }
    return .natsBack(milliseconds: (now - since) / 1_000_000)
  }

  /// Returns whether clients are to be told.
  mutating func linkIsAway(_ now: Int64) -> Bool {
    if case .away = state {} else { state = .away(since: now) }
    defer { wasReported = true }
    return !wasReported
  }

  mutating func isUsable(_ now: Int64) -> ServerEvent? {
    guard case .unusable(_, let since) = state else { return nil }
    defer {
      state = .up
      wasReported = false
    }
    return wasReported ? .natsBack(milliseconds: (now - since) / 1_000_000) : nil
  }

  mutating func isUnusable(_ reason: String, _ now: Int64) -> ServerEvent? {
    let since = if case .unusable(_, let since) = state { since } else { now }
    state = .unusable(reason: reason, since: since)
    guard now - since >= Self.patience, !wasReported else { return nil }
    wasReported = true
    return .natsAway(text: reason)
  }
}
