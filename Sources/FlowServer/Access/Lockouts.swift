internal import FlowTransport

/// Which networks have said too many unknown tokens, and for how long they are let say none.
///
/// A few are free. Each one more locks its network out for twice as long as the one before, up to
/// 15 minutes; whoever is quiet for as long begins anew. Of networks beyond the limit, those are
/// forgotten first that would be soonest.
struct Lockouts {
  /// How many unknown tokens lock nobody out.
  static let free = 4
  /// The first time that is locked out for, in nanoseconds.
  static let first: Int64 = 1_000_000_000
  /// The longest, which is also how long an unknown token is remembered.
  static let longest: Int64 = 900_000_000_000
  /// How many networks are remembered.
  static let limit = 4096

  private struct Entry {
    var failures = 0
    /// When it may say a token again.
    var end: Int64 = .min

    func isOver(at now: Int64) -> Bool { end <= now - Lockouts.longest }
  }

  private var entries: [SocketAddress.Network: Entry] = [:]

  var count: Int { entries.count }

  /// For how long `network` is locked out still, if it is.
  func remaining(for network: SocketAddress.Network, at now: Int64) -> Int64? {
    guard let end = entries[network]?.end, end > now else { return nil }
    return end - now
  }

  /// Takes note of an unknown token.
  ///
  /// - Returns: for how long `network` is locked out now, if it is.
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
