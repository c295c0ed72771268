extension Subscribers {
  /// How many values a subscriber asks for: a number, or no limit.
  ///
  /// Arithmetic saturates: what would pass `Int.max` is unlimited and stays so.
  @frozen
  public struct Demand: Hashable, Sendable {
    @usableFromInline let rawValue: UInt

    @inlinable @inline(__always)
    init(rawValue: UInt) { self.rawValue = min(rawValue, UInt(Int.max) + 1) }

    /// No limit.
    @inlinable @inline(__always)
    public static var unlimited: Demand { Demand(rawValue: UInt(Int.max) + 1) }

    /// Nothing.
    @inlinable @inline(__always)
    public static var none: Demand { Demand(rawValue: 0) }

    /// At most `value` values; a negative value traps.
    @inlinable @inline(__always)
    public static func max(_ value: Int) -> Demand {
      precondition(value >= 0, "demand is \(value), expected 0 or more")
      return Demand(rawValue: UInt(value))
    }

    /// The number of values, or `nil` if there is no limit.
    @inlinable @inline(__always)
    public var max: Int? { self == .unlimited ? nil : Int(bitPattern: rawValue) }
  }
}

extension Subscribers.Demand {
  @inlinable @inline(__always)
  public static func + (lhs: Self, rhs: Self) -> Self {
    lhs == .unlimited ? lhs : Self(rawValue: lhs.rawValue &+ rhs.rawValue)
  }

  @inlinable @inline(__always)
  public static func + (lhs: Self, rhs: Int) -> Self {
    guard lhs != .unlimited else { return lhs }
    let (sum, overflow) = Int(bitPattern: lhs.rawValue).addingReportingOverflow(rhs)
    return overflow ? .unlimited : .max(sum)
  }

  @inlinable
  public static func - (lhs: Self, rhs: Self) -> Self {
    guard lhs != .unlimited else { return lhs }
    guard rhs != .unlimited else { return .none }
    return .max(Int(bitPattern: lhs.rawValue) - Int(bitPattern: rhs.rawValue))
  }

  @inlinable @inline(__always)
  public static func - (lhs: Self, rhs: Int) -> Self {
    guard lhs != .unlimited else { return lhs }
    let (difference, overflow) = Int(bitPattern: lhs.rawValue).subtractingReportingOverflow(rhs)
    return overflow ? .none : .max(difference)
  }

  @inlinable
  public static func * (lhs: Self, rhs: Int) -> Self {
    guard lhs != .unlimited else { return lhs }
    let (product, overflow) = Int(bitPattern: lhs.rawValue).multipliedReportingOverflow(by: rhs)
    return overflow ? .unlimited : .max(product)
  }

  @inlinable @inline(__always)
  public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }
  @inlinable @inline(__always)
  public static func += (lhs: inout Self, rhs: Int) { lhs = lhs + rhs }
  @inlinable @inline(__always)
  public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }
  @inlinable @inline(__always)
  public static func -= (lhs: inout Self, rhs: Int) { lhs = lhs - rhs }
  @inlinable
  public static func *= (lhs: inout Self, rhs: Int) { lhs = lhs * rhs }
}

extension Subscribers.Demand: Comparable {
  @inlinable @inline(__always)
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension Subscribers.Demand {
  @inlinable @inline(__always)
  public static func == (lhs: Self, rhs: Int) -> Bool { lhs == .unlimited ? false : lhs.max == rhs }
  @inlinable @inline(__always)
  public static func == (lhs: Int, rhs: Self) -> Bool { rhs == lhs }
  @inlinable
  public static func != (lhs: Self, rhs: Int) -> Bool { !(lhs == rhs) }
  @inlinable
  public static func != (lhs: Int, rhs: Self) -> Bool { !(rhs == lhs) }
  @inlinable @inline(__always)
  public static func > (lhs: Self, rhs: Int) -> Bool {
    lhs == .unlimited || Int(bitPattern: lhs.rawValue) > rhs
  }
  @inlinable @inline(__always)
  public static func >= (lhs: Self, rhs: Int) -> Bool {
    lhs == .unlimited || Int(bitPattern: lhs.rawValue) >= rhs
  }
  @inlinable @inline(__always)
  public static func < (lhs: Self, rhs: Int) -> Bool { !(lhs >= rhs) }
  @inlinable @inline(__always)
  public static func <= (lhs: Self, rhs: Int) -> Bool { !(lhs > rhs) }
  @inlinable
  public static func > (lhs: Int, rhs: Self) -> Bool { rhs < lhs }
  @inlinable
  public static func >= (lhs: Int, rhs: Self) -> Bool { rhs <= lhs }
  @inlinable
  public static func < (lhs: Int, rhs: Self) -> Bool { rhs > lhs }
  @inlinable
  public static func <= (lhs: Int, rhs: Self) -> Bool { rhs >= lhs }
}

extension Subscribers.Demand: CustomStringConvertible {
  public var description: String { max.map { "max(\($0))" } ?? "unlimited" }
}

extension Subscribers.Demand: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(rawValue: try decoder.singleValueContainer().decode(UInt.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
