/// The servers of NATS that may be connected to, in turns, and how long to wait before the next.
package struct HostList: Equatable, Sendable {
  private var hosts: [String]
  private var next = 0
  private var backoff = Backoff(50_000_000, 2_000_000_000)

  package init(_ hosts: [String]) { self.hosts = hosts }

  /// The one to try now.
  package mutating func take() -> String {
    defer { next = (next + 1) % hosts.count }
    return hosts[next]
  }

  /// Learns of further servers, after those it knows.
  package mutating func learn(_ others: [String]) {
    for other in others where !hosts.contains(other) && hosts.count < Self.most {
      hosts.append(other)
    }
  }

  /// How long, in nanoseconds, to wait before the next attempt: 50 ms, twice as long each time, 2 s.
  package mutating func delay() -> Int64 { backoff.next() }

  /// A login was good: the next loss begins with short waits again.
  package mutating func succeeded() { backoff.reset() }

  /// More than any cluster has.
  private static let most = 64
}
