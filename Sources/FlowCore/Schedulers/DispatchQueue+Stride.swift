public import Dispatch

extension DispatchQueue.SchedulerTimeType {
  /// A length of time in nanoseconds; a literal counts seconds, and a product is one of seconds.
  public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric,
    ExpressibleByFloatLiteral, Hashable, Codable, Sendable
  {
    /// The length in nanoseconds.
    public var magnitude: Int

    private enum CodingKeys: String, CodingKey {
      case magnitude = "_nanoseconds"
    }

    init(nanoseconds: Int) { magnitude = nanoseconds }

    /// As long as `timeInterval`, at most the longest there is.
    public init(_ timeInterval: DispatchTimeInterval) {
      switch timeInterval {
      case .seconds(let s): self = .seconds(s)
      case .milliseconds(let ms): self = .milliseconds(ms)
      case .microseconds(let us): self = .microseconds(us)
      case .nanoseconds(let ns): self = .nanoseconds(ns)
      case .never: self.init(nanoseconds: .max)
      @unknown default: self.init(nanoseconds: .max)
      }
    }

    /// `value` seconds.
    public init(integerLiteral value: Int) { self = .seconds(value) }

    /// `value` seconds.
    public init(floatLiteral value: Double) { self = .seconds(value) }

    /// `source` seconds, if that is a number of seconds that fits an `Int`.
    public init?<T: BinaryInteger>(exactly source: T) {
      guard let value = Int(exactly: source) else { return nil }
      self = .seconds(value)
    }

    /// The length as Dispatch has it.
    public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }

    /// Whether `a` is shorter than `b`.
    public static func < (a: Self, b: Self) -> Bool { a.magnitude < b.magnitude }
    /// The sum of two lengths; it traps if it does not fit.
    public static func + (a: Self, b: Self) -> Self { Self(nanoseconds: a.magnitude + b.magnitude) }
    /// The difference of two lengths; it traps if it does not fit.
    public static func - (a: Self, b: Self) -> Self { Self(nanoseconds: a.magnitude - b.magnitude) }

    /// The product of two lengths as numbers of seconds, at most the longest there is.
    public static func * (a: Self, b: Self) -> Self {
      let nanoseconds = Double(a.magnitude) * Double(b.magnitude) / 1e9
      return Self(nanoseconds: Int(clamping: nanoseconds))
    }

    /// Makes `a` longer by `b`; it traps if the sum does not fit.
    public static func += (a: inout Self, b: Self) { a = a + b }
    /// Makes `a` shorter by `b`; it traps if the difference does not fit.
    public static func -= (a: inout Self, b: Self) { a = a - b }
    /// Multiplies lengths as numbers of seconds.
    public static func *= (a: inout Self, b: Self) { a = a * b }

    /// A length of `s` seconds, at most the longest there is.
    public static func seconds(_ s: Int) -> Self { multiple(s, of: 1_000_000_000) }
    /// A length of `s` seconds, cut off to whole nanoseconds and to the longest there is; NaN
    /// traps.
    public static func seconds(_ s: Double) -> Self { Self(nanoseconds: Int(clamping: s * 1e9)) }
    /// A length of `ms` milliseconds, at most the longest there is.
    public static func milliseconds(_ ms: Int) -> Self { multiple(ms, of: 1_000_000) }
    /// A length of `us` microseconds, at most the longest there is.
    public static func microseconds(_ us: Int) -> Self { multiple(us, of: 1000) }
    /// A length of `ns` nanoseconds.
    public static func nanoseconds(_ ns: Int) -> Self { Self(nanoseconds: ns) }

    private static func multiple(_ count: Int, of unit: Int) -> Self {
      let (product, overflow) = count.multipliedReportingOverflow(by: unit)
      return Self(nanoseconds: overflow ? (count < 0 ? .min : .max) : product)
    }
  }
}

extension Int {
  /// The number without its fraction, or the nearest one that there is.
  fileprivate init(clamping value: Double) {
    if value >= 0x1p63 {
      self = .max
    } else if value < -0x1p63 {
      self = .min
    } else {
      self.init(value)
    }
  }
}
