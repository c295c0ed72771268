internal import FlowWire

/// Counts the connections for which there were no descriptors, to be told of once a second at most.
struct RejectedConnections {
  /// What they are told.
  static let farewell =
    ServerLine.bye(
      code: ErrorCode.limit.rawValue,
      text: "no file descriptors are left for more connections"
    ).bytes

  private static let pause: Int64 = 1_000_000_000

  private var count = 0
  private var nextReport = Int64.min

  /// Counts one; returns what is to be logged now.
  mutating func add(at now: Int64) -> String? {
    count += 1
    guard now >= nextReport else { return nil }
    defer { count = 0 }
    nextReport = now + Self.pause
    let who = count == 1 ? "1 connection was" : "\(count) connections were"
    return "\(who) rejected: no file descriptors are left; raise the limit (ulimit -n)"
  }
}
