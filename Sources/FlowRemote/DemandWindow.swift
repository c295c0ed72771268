/// Computes how many values to request in advance, so that the connection is never idle.
///
/// The window is twice the number of values taken in a round trip: one half is in transit while the
/// other is taken and requested again. It at most doubles in a round trip, and shrinks when the
/// publisher or the subscriber is slow.
package struct DemandWindow: Equatable, Sendable {
  /// The greatest size, in values.
  package static let most = 1 << 20
  /// The greatest size, in bytes of values, unless the least size is more.
  package static let mostBytes = 16 << 20
  /// The shortest time over which a rate is measured, in nanoseconds.
  private static let shortestRound: UInt64 = 1_000_000

  package private(set) var size: Int

  private let least: Int
  /// The memory of a waiting value besides its bytes.
  private let overhead: Int
  /// The start of the current round, which lasts a round trip or longer.
  private var beginning: UInt64?
  private var taken = 0
  private var bytes = 0

  package init(least: Int, overhead: Int = 0) {
    self.least = least
    self.overhead = overhead
    size = least
  }

  package mutating func take(_ count: Int, bytes: Int) {
    taken += count
    self.bytes += bytes
  }

  /// Adapts the window to the values taken; `roundTrip` and `now` are in nanoseconds.
  ///
  /// It grows at once, because requested values take a round trip to arrive; it shrinks by a
  /// quarter in a round.
  package mutating func adapt(at now: UInt64, roundTrip: UInt64?) {
    guard let roundTrip, let beginning else { return begin(at: now) }
    // Threads may arrive here in another order than they read the clock.
    let length = max(now, beginning) - beginning
    guard taken > 0 else { return }
    if length >= max(roundTrip, Self.shortestRound) {
      let goal = goal(2 * Double(taken) * Double(roundTrip) / Double(length))
      size = goal < size ? max(goal, size - max(1, size / 4)) : min(goal, max(2, size * 2))
      begin(at: now)
    } else if length <= roundTrip {
      size = max(size, goal(2 * Double(taken)))
    }
  }

  private mutating func begin(at now: UInt64) {
    beginning = now
    taken = 0
    bytes = 0
  }

  /// Clamps `wanted` to the bounds.
  private func goal(_ wanted: Double) -> Int {
    let each = bytes / taken + overhead
    return max(least, min(Int(wanted.rounded(.up)), Self.most, Self.mostBytes / max(1, each)))
  }
}
