internal import FlowTransport

/// Locks out networks that have sent too many unknown tokens.
///
/// A few are free; each further one doubles the time, up to 15 minutes. A network that is quiet for
/// that long starts again. Beyond `limit`, networks are forgotten that would expire first.
struct Lockouts {
  /// How many unknown tokens are free.
  static let free = 4
  /// The first lockout, in nanoseconds.
  static let first: Int64 = 1_000_000_000
  /// The longest lockout, which is also how long an unknown token is remembered.
  static let longest: Int64 = 900_000_000_000
  static let limit = 4096

  private struct Entry {
    var failures = 0
    /// When AUTH is accepted again.
    var end: Int64 = .min

    func isOver(at now: Int64) -> Bool { end <= now - Lockouts.longest }
  }

  private var entries: [SocketAddress.Network: Entry] = [:]

  var count: Int { entries.count }

  /// How long `network` is still locked out, if it is.
  func remaining(for network: SocketAddress.Network, at now: Int64) -> Int64? {
    guard let end = entries[network]?.end, end > now else { return nil }
    return end - now
  }

  /// Records an unknown token; returns how long `network` is now locked out, if it is.
  mutating func fail(_ network: SocketAddress.Network, at now: Int64) -> Int64? {
    var entry = entries[network] ?? Entry()
    if entry.isOver(at: now) { entry = Entry() }
    entry.failures += 1
    let doublings = entry.failures - Self.free - 1
    let length = doublings < 0 ? 0 : min(Self.first << min(doublings, 20), Self.longest)
    entry.end = now + length
    makeRoom(for: network, at: now)
    entries[network] = entry
    return length > 0 ? length : nil
  }

  private mutating func makeRoom(for network: SocketAddress.Network, at now: Int64) {
    guard entries.count >= Self.limit, entries[network] == nil else { return }
    entries = entries.filter { !$0.value.isOver(at: now) }
    guard entries.count >= Self.limit else { return }
    if let soonest = entries.min(by: { $0.value.end < $1.value.end }) {
      entries[soonest.key] = nil
    }
  }
}
