/// How many values may be sent on a stream: a number, or no limit.
///
/// Sums saturate: above 2^63−1, demand is unlimited and remains so.
@frozen
public struct Demand: Hashable, Sendable {
  @usableFromInline let rawValue: UInt64

  @inlinable
  init(rawValue: UInt64) { self.rawValue = min(rawValue, 1 << 63) }

  /// No limit; `max` on the wire.
  @inlinable
  public static var unlimited: Demand { Demand(rawValue: 1 << 63) }

  @inlinable
  public static var none: Demand { Demand(rawValue: 0) }

  /// At most `count` values; above 2^63−1 it is unlimited.
  @inlinable
  public static func max(_ count: UInt64) -> Demand { Demand(rawValue: count) }

  @inlinable
  public var max: UInt64? { self == .unlimited ? nil : rawValue }
}

extension Demand: Comparable {
  @inlinable
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

  @inlinable
  public static func + (lhs: Self, rhs: Self) -> Self {
    lhs == .unlimited ? lhs : Self(rawValue: lhs.rawValue &+ rhs.rawValue)
  }

  @inlinable
  public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

  /// Subtracts `rhs` sent values; unlimited demand remains so, a negative result traps.
  @inlinable
  public static func -= (lhs: inout Self, rhs: UInt64) {
    if lhs != .unlimited { lhs = Self(rawValue: lhs.rawValue - rhs) }
  }
}

extension Demand: CustomStringConvertible {
  public var description: String { max.map { String($0) } ?? "max" }
}
