extension VirtualTimeScheduler.SchedulerTimeType {
  /// A length of time in nanoseconds; a literal counts seconds.
  public struct Stride: SchedulerTimeIntervalConvertible, Comparable, Hashable, Sendable {
    /// The length in nanoseconds; a negative one goes back.
    public var nanoseconds: Int64

    /// Makes a length of so many nanoseconds.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// As long as `duration`, at most the longest there is.
    public init(_ duration: Duration) {
      let (seconds, attoseconds) = duration.components
      let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
      let rest = attoseconds / 1_000_000_000
      let sum = product.addingReportingOverflow(rest)
      nanoseconds = overflow || sum.overflow ? (seconds < 0 ? .min : .max) : sum.partialValue
    }

    /// A length of `s` seconds, at most the longest there is.
    public static func seconds(_ s: Int) -> Self { multiple(s, of: 1_000_000_000) }
    /// A length of `ms` milliseconds, at most the longest there is.
    public static func milliseconds(_ ms: Int) -> Self { multiple(ms, of: 1_000_000) }
    /// A length of `us` microseconds, at most the longest there is.
    public static func microseconds(_ us: Int) -> Self { multiple(us, of: 1000) }
    /// A length of `ns` nanoseconds.
    public static func nanoseconds(_ ns: Int) -> Self { multiple(ns, of: 1) }

    /// A length of `s` seconds, rounded to nanoseconds, at most the longest there is.
    public static func seconds(_ s: Double) -> Self {
      let nanoseconds = (s * 1e9).rounded()
      guard nanoseconds < 0x1p63 else { return Self(nanoseconds: .max) }
      guard nanoseconds >= -0x1p63 else { return Self(nanoseconds: .min) }
      return Self(nanoseconds: Int64(nanoseconds))
    }

    private static func multiple(_ count: Int, of unit: Int64) -> Self {
      let (product, overflow) = Int64(count).multipliedReportingOverflow(by: unit)
      return Self(nanoseconds: overflow ? (count < 0 ? .min : .max) : product)
    }
  }
}

extension VirtualTimeScheduler.SchedulerTimeType.Stride: SignedNumeric {
  /// `value` seconds, as in Combine.
  public init(integerLiteral value: Int) { self = .seconds(value) }

  /// `source` nanoseconds, if they fit.
  public init?<T: BinaryInteger>(exactly source: T) {
    guard let nanoseconds = Int64(exactly: source) else { return nil }
    self.init(nanoseconds: nanoseconds)
  }

  /// The number of nanoseconds without its sign.
  public var magnitude: Int64 { nanoseconds == .min ? .max : abs(nanoseconds) }

  /// The sum of two lengths; it traps if it does not fit.
  public static func + (lhs: Self, rhs: Self) -> Self {
    Self(nanoseconds: lhs.nanoseconds + rhs.nanoseconds)
  }

  /// The difference of two lengths; it traps if it does not fit.
  public static func - (lhs: Self, rhs: Self) -> Self {
    Self(nanoseconds: lhs.nanoseconds - rhs.nanoseconds)
  }

  /// The product of two numbers of nanoseconds, as Combine has it; it traps if it does not fit.
  public static func * (lhs: Self, rhs: Self) -> Self {
    Self(nanoseconds: lhs.nanoseconds * rhs.nanoseconds)
  }

  /// Makes `lhs` longer by `rhs`; it traps if the sum does not fit.
  public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }
  /// Makes `lhs` shorter by `rhs`; it traps if the difference does not fit.
  public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }
  /// Multiplies the number of nanoseconds; it traps if the product does not fit.
  public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }

  /// Whether `lhs` is shorter than `rhs`.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
}

extension VirtualTimeScheduler.SchedulerTimeType.Stride: ExpressibleByFloatLiteral {
  /// `value` seconds, as in Combine.
  public init(floatLiteral value: Double) { self = .seconds(value) }
}

extension VirtualTimeScheduler.SchedulerTimeType.Stride: CustomStringConvertible {
  /// The number of nanoseconds, as in `1000 ns`.
  public var description: String { "\(nanoseconds) ns" }
}
