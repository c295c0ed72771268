internal import FlowServer

/// Whether NATS is usable, and whether clients were told that it is not.
struct NATSHealth {
  private enum State {
    case up
    case away(since: Int64)
    /// Connected, but JetStream is unusable.
    case unusable(reason: String, since: Int64)
  }

  private var state: State
  private var wasReported = false

  /// How long JetStream must be unusable before that is reported, in nanoseconds.
  ///
  /// A server that has just started may not be ready.
  static let patience: Int64 = 3_000_000_000

  init(now: Int64) { state = .away(since: now) }

  /// `up`, or `away` with the duration.
  func text(_ now: Int64) -> String {
    switch state {
    case .up: "up"
    case .away(let since), .unusable(_, let since): "away away=\((now - since) / 1_000_000)ms"
    }
  }

  /// Why JetStream is unusable although there is a connection.
  var complaint: String? { if case .unusable(let reason, _) = state { reason } else { nil } }

  mutating func linkIsUp(_ now: Int64) -> ServerEvent? {
    defer {
      state = .up
      wasReported = false
    }
    guard case .away(let since) = state else { return nil }
    return .natsBack(milliseconds: (now - since) / 1_000_000)
  }

  /// Records a lost connection; returns whether to tell the clients.
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
