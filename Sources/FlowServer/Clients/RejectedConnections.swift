internal import FlowWire

/// Counts the connections for which there were no descriptors, to be told of once a second at most.
struct RejectedConnections {
  /// What they are told.
  static let farewell =
    ServerLine.bye(
      code: ErrorCode.limit.rawValue,
      text: "no file descriptors are left for more connections"
    ).bytes

  private var reports = OncePerSecond()

  /// Counts one; returns what is to be logged now.
  mutating func add(at now: Int64) -> String? {
    guard let count = reports.add(at: now) else { return nil }
    let who = count == 1 ? "1 connection was" : "\(count) connections were"
    return "\(who) rejected: no file descriptors are left; raise the limit (ulimit -n)"
  }
}
