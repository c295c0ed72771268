/// The NATS servers to try in turn, and the delay between attempts.
package struct HostList: Equatable, Sendable {
  private var hosts: [String]
  private var next = 0
  private var backoff = Backoff(50_000_000, 2_000_000_000)

  package init(_ hosts: [String]) { self.hosts = hosts }

  /// Returns the server to try now.
  package mutating func take() -> String {
    defer { next = (next + 1) % hosts.count }
    return hosts[next]
  }

  /// Adds further servers after the known ones.
  package mutating func learn(_ others: [String]) {
    for other in others where !hosts.contains(other) && hosts.count < Self.most {
      hosts.append(other)
    }
  }

  /// The delay before the next attempt, in nanoseconds: 50 ms, doubling up to 2 s.
  package mutating func delay() -> Int64 { backoff.next() }

  /// Resets the delay after a successful login.
  package mutating func succeeded() { backoff.reset() }

  /// The most servers to remember, more than any cluster has.
  private static let most = 64
}
