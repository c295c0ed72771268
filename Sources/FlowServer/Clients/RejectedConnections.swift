internal import FlowWire

/// Counts connections rejected for want of descriptors, and logs once a second at most.
struct RejectedConnections {
  /// The line they get.
  static let farewell =
    ServerLine.bye(
      code: ErrorCode.limit.rawValue,
      text: "no file descriptors are left for more connections"
    ).bytes

  private var reports = OncePerSecond()

  /// Counts one; returns the text to log now.
  mutating func add(at now: Int64) -> String? {
    guard let count = reports.add(at: now) else { return nil }
    let who = count == 1 ? "1 connection was" : "\(count) connections were"
    return "\(who) rejected: no file descriptors are left; raise the limit (ulimit -n)"
  }
}
