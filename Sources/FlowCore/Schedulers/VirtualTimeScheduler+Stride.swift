extension VirtualTimeScheduler.SchedulerTimeType {
  /// A length of time in nanoseconds; a literal counts seconds.
  public struct Stride: SchedulerTimeIntervalConvertible, Comparable, Hashable, Sendable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// As long as `duration`, at most the longest there is.
    public init(_ duration: Duration) {
      let (seconds, attoseconds) = duration.components
      let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
      let rest = attoseconds / 1_000_000_000
      let sum = product.addingReportingOverflow(rest)
      nanoseconds = overflow || sum.overflow ? (seconds < 0 ? .min : .max) : sum.partialValue
    }

    public static func seconds(_ s: Int) -> Self { multiple(s, of: 1_000_000_000) }
    public static func milliseconds(_ ms: Int) -> Self { multiple(ms, of: 1_000_000) }
    public static func microseconds(_ us: Int) -> Self { multiple(us, of: 1000) }
    public static func nanoseconds(_ ns: Int) -> Self { multiple(ns, of: 1) }

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

  public var magnitude: Int64 { nanoseconds == .min ? .max : abs(nanoseconds) }

  public static func + (lhs: Self, rhs: Self) -> Self {
    Self(nanoseconds: lhs.nanoseconds + rhs.nanoseconds)
  }

  public static func - (lhs: Self, rhs: Self) -> Self {
    Self(nanoseconds: lhs.nanoseconds - rhs.nanoseconds)
  }

  public static func * (lhs: Self, rhs: Self) -> Self {
    Self(nanoseconds: lhs.nanoseconds * rhs.nanoseconds)
  }

  public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }
  public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }
  public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }

  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
}

extension VirtualTimeScheduler.SchedulerTimeType.Stride: ExpressibleByFloatLiteral {
  /// `value` seconds, as in Combine.
  public init(floatLiteral value: Double) { self = .seconds(value) }
}

extension VirtualTimeScheduler.SchedulerTimeType.Stride: CustomStringConvertible {
  public var description: String { "\(nanoseconds) ns" }
}
