/// The calls of a service that a server pulls from their stream.
///
/// Transitions have no side effects; they return the steps that the taker performs in order.
struct CallTakerState {
  enum Phase: Equatable {
    case closed
    /// The consumer is being made.
    case opening
    /// `outstanding` calls were pulled and have not come; NATS was last heard at `heard`.
    case open(outstanding: Int, heard: Int64)
  }

  enum Step: Equatable {
    case makeStream
    /// Makes the consumer; calls `answered` with the present attempt.
    case makeConsumer
    case pull(Int)
    /// Has the service's demand followed at the end of the turn.
    case schedule
    case doubtStream
    /// Receives nothing of the consumer any more.
    case detach
  }

  private(set) var phase = Phase.closed
  /// Counts consumers, to recognize late answers.
  private(set) var attempt = 0
  /// Pulled calls that wait for their servers' consent.
  private(set) var asking = 0

  /// NATS sends a heartbeat every 5 s during a pull.
  private static let patience = 12 * SharedCalls.second

  /// Pulls calls for `spare` values of demand that no call has used.
  mutating func follow(spare: Int, hasStream: Bool, _ now: Int64) -> [Step] {
    guard spare > 0 else { return [] }
    guard hasStream else { return [.makeStream] }
    switch phase {
    case .closed:
      phase = .opening
      attempt += 1
      return [.makeConsumer]
    case .opening: return []
    case .open(let outstanding, let heard):
      let wanted = spare - outstanding - asking
      guard wanted > 0 else { return [] }
      phase = .open(outstanding: outstanding + wanted, heard: outstanding == 0 ? now : heard)
      return [.pull(wanted)]
    }
  }

  mutating func answered(_ attempt: Int, isMade: Bool, _ now: Int64) -> [Step] {
    guard phase == .opening, attempt == self.attempt else { return [] }
    phase = isMade ? .open(outstanding: 0, heard: now) : .closed
    return [isMade ? .schedule : .doubtStream]
  }

  mutating func close() -> [Step] {
    attempt += 1
    phase = .closed
    return [.detach]
  }

  mutating func came(_ now: Int64) -> [Step] {
    hear(1, now)
    return [.schedule]
  }

  mutating func received(_ code: Int, pending: Int, _ now: Int64) -> [Step] {
    switch code {
    case 100: hear(0, now)
    case 408: hear(pending, now)
    default: return close() + [.schedule]
    }
    return code == 100 ? [] : [.schedule]
  }

  /// Records that `count` calls are no longer outstanding.
  private mutating func hear(_ count: Int, _ now: Int64) {
    guard case .open(let outstanding, _) = phase else { return }
    phase = .open(outstanding: max(0, outstanding - count), heard: now)
  }

  /// Counts a call that its server was asked for.
  mutating func beginAsking() { asking += 1 }

  /// Counts a call that has a worker, or cannot be had.
  mutating func endAsking() -> [Step] {
    asking -= 1
    return [.schedule]
  }

  /// Whether calls were pulled and NATS sends nothing, not even a heartbeat.
  func isSilent(at now: Int64) -> Bool {
    guard case .open(1..., let heard) = phase else { return false }
    return now - heard > Self.patience
  }
}
