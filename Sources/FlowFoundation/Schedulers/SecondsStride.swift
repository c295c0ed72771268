public import FlowCore
public import Foundation

/// A length of time in seconds, as run loops and operation queues count it.
///
/// Both have a type of their own, as in Combine; this is what the two have in common.
public protocol _SecondsStride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric,
  ExpressibleByFloatLiteral, Codable, Hashable, Sendable
where
  Magnitude == TimeInterval, IntegerLiteralType == TimeInterval, FloatLiteralType == TimeInterval
{
  /// The number of seconds; as in Combine, negative for a negative length.
  var magnitude: TimeInterval { get set }

  /// Makes a length of a number of seconds.
  init(_ timeInterval: TimeInterval)
}

extension _SecondsStride {
  /// The number of seconds.
  public var timeInterval: TimeInterval { magnitude }

  public init(integerLiteral value: TimeInterval) { self.init(value) }
  public init(floatLiteral value: TimeInterval) { self.init(value) }

  public init?<T: BinaryInteger>(exactly source: T) {
    guard let seconds = TimeInterval(exactly: source) else { return nil }
    self.init(seconds)
  }

  public static func < (a: Self, b: Self) -> Bool { a.magnitude < b.magnitude }
  public static func + (a: Self, b: Self) -> Self { Self(a.magnitude + b.magnitude) }
  public static func - (a: Self, b: Self) -> Self { Self(a.magnitude - b.magnitude) }
  public static func * (a: Self, b: Self) -> Self { Self(a.magnitude * b.magnitude) }
  public static func += (a: inout Self, b: Self) { a.magnitude += b.magnitude }
  public static func -= (a: inout Self, b: Self) { a.magnitude -= b.magnitude }
  public static func *= (a: inout Self, b: Self) { a.magnitude *= b.magnitude }

  public static func seconds(_ s: Int) -> Self { Self(TimeInterval(s)) }
  public static func seconds(_ s: Double) -> Self { Self(s) }
  public static func milliseconds(_ ms: Int) -> Self { Self(TimeInterval(ms) / 1e3) }
  public static func microseconds(_ us: Int) -> Self { Self(TimeInterval(us) / 1e6) }
  public static func nanoseconds(_ ns: Int) -> Self { Self(TimeInterval(ns) / 1e9) }
}
