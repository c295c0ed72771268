/// When NATS was last heard, and when the last ping was sent.
struct NATSPulse {
  enum State: Equatable { case isFine, needsPing, isLost }

  static let second: Int64 = 1_000_000_000
  /// The time between pings, in nanoseconds.
  private static let interval = 2 * second
  /// How long NATS may be silent, in nanoseconds.
  private static let patience = 5 * second

  var lastHeard: Int64
  private var lastPing: Int64

  init(now: Int64 = 0) {
    lastHeard = now
    lastPing = now
  }

  /// Returns what the connection needs; counts a ping as sent.
  mutating func check(at now: Int64, isUp: Bool) -> State {
    guard now - lastHeard < Self.patience else { return .isLost }
    guard isUp, now - lastPing >= Self.interval else { return .isFine }
    lastPing = now
    return .needsPing
  }
}

/// Requests that wait for their answers.
struct NATSRequests {
  private var last: UInt64 = 0
  private var waiting: [UInt64: (NATSReply) -> Void] = [:]

  /// Returns the number of the new request, which is never used again.
  mutating func add(_ answer: @escaping (NATSReply) -> Void) -> UInt64 {
    last += 1
    waiting[last] = answer
    return last
  }

  mutating func remove(_ number: UInt64) -> ((NATSReply) -> Void)? {
    waiting.removeValue(forKey: number)
  }

  /// Returns the closures of all requests, in order.
  mutating func removeAll() -> [(NATSReply) -> Void] {
    defer { waiting = [:] }
    return waiting.sorted { $0.key < $1.key }.map { $0.value }
  }
}
