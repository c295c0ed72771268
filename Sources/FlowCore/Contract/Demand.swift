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
  /// The sum of two demands, unlimited if either is, or if it passes `Int.max`.
  @inlinable @inline(__always)
  public static func + (lhs: Self, rhs: Self) -> Self {
    lhs == .unlimited ? lhs : Self(rawValue: lhs.rawValue &+ rhs.rawValue)
  }

  /// A demand for `rhs` values more; unlimited stays so, and a sum below 0 traps.
  @inlinable @inline(__always)
  public static func + (lhs: Self, rhs: Int) -> Self {
    guard lhs != .unlimited else { return lhs }
    let (sum, overflow) = Int(bitPattern: lhs.rawValue).addingReportingOverflow(rhs)
    return overflow ? .unlimited : .max(sum)
  }

  /// What is left of `lhs`: unlimited stays so, unlimited from a number is none, and less than 0
  /// traps.
  @inlinable
  public static func - (lhs: Self, rhs: Self) -> Self {
    guard lhs != .unlimited else { return lhs }
    guard rhs != .unlimited else { return .none }
    return .max(Int(bitPattern: lhs.rawValue) - Int(bitPattern: rhs.rawValue))
  }

  /// A demand for `rhs` values less; unlimited stays so, and a difference below 0 traps.
  @inlinable @inline(__always)
  public static func - (lhs: Self, rhs: Int) -> Self {
    guard lhs != .unlimited else { return lhs }
    let (difference, overflow) = Int(bitPattern: lhs.rawValue).subtractingReportingOverflow(rhs)
    return overflow ? .none : .max(difference)
  }

  /// A demand for `rhs` times as many values; unlimited stays so, and a negative product traps.
  @inlinable
  public static func * (lhs: Self, rhs: Int) -> Self {
    guard lhs != .unlimited else { return lhs }
    let (product, overflow) = Int(bitPattern: lhs.rawValue).multipliedReportingOverflow(by: rhs)
    return overflow ? .unlimited : .max(product)
  }

  /// Adds a demand; see `+`.
  @inlinable @inline(__always)
  public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }
  /// Adds a number of values; see `+`.
  @inlinable @inline(__always)
  public static func += (lhs: inout Self, rhs: Int) { lhs = lhs + rhs }
  /// Takes a demand away; see `-`.
  @inlinable @inline(__always)
  public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }
  /// Takes a number of values away; see `-`.
  @inlinable @inline(__always)
  public static func -= (lhs: inout Self, rhs: Int) { lhs = lhs - rhs }
  /// Multiplies by a number; see `*`.
  @inlinable
  public static func *= (lhs: inout Self, rhs: Int) { lhs = lhs * rhs }
}

extension Subscribers.Demand: Comparable {
  /// Whether `lhs` is for fewer values; unlimited is more than any number.
  @inlinable @inline(__always)
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension Subscribers.Demand {
  /// Whether `lhs` is for exactly `rhs` values; unlimited equals no number.
  @inlinable @inline(__always)
  public static func == (lhs: Self, rhs: Int) -> Bool { lhs == .unlimited ? false : lhs.max == rhs }
  /// Whether `rhs` is for exactly `lhs` values; unlimited equals no number.
  @inlinable @inline(__always)
  public static func == (lhs: Int, rhs: Self) -> Bool { rhs == lhs }
  /// Whether `lhs` is not for exactly `rhs` values.
  @inlinable
  public static func != (lhs: Self, rhs: Int) -> Bool { !(lhs == rhs) }
  /// Whether `rhs` is not for exactly `lhs` values.
  @inlinable
  public static func != (lhs: Int, rhs: Self) -> Bool { !(rhs == lhs) }
  /// Whether `lhs` is for more than `rhs` values; unlimited always is.
  @inlinable @inline(__always)
  public static func > (lhs: Self, rhs: Int) -> Bool {
    lhs == .unlimited || Int(bitPattern: lhs.rawValue) > rhs
  }
  /// Whether `lhs` is for `rhs` values or more; unlimited always is.
  @inlinable @inline(__always)
  public static func >= (lhs: Self, rhs: Int) -> Bool {
    lhs == .unlimited || Int(bitPattern: lhs.rawValue) >= rhs
  }
  /// Whether `lhs` is for fewer than `rhs` values; unlimited never is.
  @inlinable @inline(__always)
  public static func < (lhs: Self, rhs: Int) -> Bool { !(lhs >= rhs) }
  /// Whether `lhs` is for `rhs` values or fewer; unlimited never is.
  @inlinable @inline(__always)
  public static func <= (lhs: Self, rhs: Int) -> Bool { !(lhs > rhs) }
  /// Whether `rhs` is for fewer than `lhs` values; unlimited never is.
  @inlinable
  public static func > (lhs: Int, rhs: Self) -> Bool { rhs < lhs }
  /// Whether `rhs` is for `lhs` values or fewer; unlimited never is.
  @inlinable
  public static func >= (lhs: Int, rhs: Self) -> Bool { rhs <= lhs }
  /// Whether `rhs` is for more than `lhs` values; unlimited always is.
  @inlinable
  public static func < (lhs: Int, rhs: Self) -> Bool { rhs > lhs }
  /// Whether `rhs` is for `lhs` values or more; unlimited always is.
  @inlinable
  public static func <= (lhs: Int, rhs: Self) -> Bool { rhs >= lhs }
}

extension Subscribers.Demand: CustomStringConvertible {
  /// `max(3)`, or `unlimited`.
  public var description: String { max.map { "max(\($0))" } ?? "unlimited" }
}

extension Subscribers.Demand: Codable {
  /// Decodes a number of values; more than `Int.max` is unlimited.
  public init(from decoder: any Decoder) throws {
    self.init(rawValue: try decoder.singleValueContainer().decode(UInt.self))
  }

  /// Encodes the number of values; unlimited is `Int.max` and 1.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
