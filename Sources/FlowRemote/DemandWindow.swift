/// Computes how many values to request ahead of those taken, so that the connection is never idle.
///
/// What is under way in a full connection is what comes in a round trip. The window is twice that:
/// half of it is under way while the other half is taken and asked for anew. So it grows where the
/// server is far away and values are taken as fast as they come, at most to the double in a round
/// trip, and shrinks where the publisher or the subscriber is slow.
package struct DemandWindow: Equatable, Sendable {
  /// The greatest size, in values.
  package static let most = 1 << 20
  /// The greatest size, in bytes of values, unless the least is more.
  package static let mostBytes = 16 << 20
  /// Rates over less time, in nanoseconds, say little.
  private static let shortestRound: UInt64 = 1_000_000

  /// The number of values to request ahead now.
  package private(set) var size: Int

  private let least: Int
  /// The memory of a waiting value besides its bytes.
  private let overhead: Int
  /// The start of the present round, which takes a round trip or longer.
  private var beginning: UInt64?
  private var taken = 0
  private var bytes = 0

  package init(least: Int, overhead: Int = 0) {
    self.least = least
    self.overhead = overhead
    size = least
  }

  /// Records that `count` values were taken, of `bytes` bytes in all.
  package mutating func take(_ count: Int, bytes: Int) {
    taken += count
    self.bytes += bytes
  }

  /// Fits the window to what was taken; `roundTrip` and `now` in nanoseconds.
  ///
  /// It grows at once, since what is asked for takes a round trip to come; it shrinks by a quarter
  /// in a round.
  package mutating func adapt(at now: UInt64, roundTrip: UInt64?) {
    guard let roundTrip, let beginning else { return begin(at: now) }
    // Threads that look at the clock may come here in another order.
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

  /// Returns `wanted` within the bounds.
  private func goal(_ wanted: Double) -> Int {
    let each = bytes / taken + overhead
    return max(least, min(Int(wanted.rounded(.up)), Self.most, Self.mostBytes / max(1, each)))
  }
}
