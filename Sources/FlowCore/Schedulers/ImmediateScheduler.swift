/// Runs everything at once, on the thread that schedules it; nothing can be put off.
public struct ImmediateScheduler: Scheduler, Sendable {
  /// The one scheduler.
  public static let shared = ImmediateScheduler()

  /// No options can be given.
  public typealias SchedulerOptions = Never

  /// A moment; all are the same.
  public struct SchedulerTimeType: Strideable, Sendable {
    /// A length of time; all pass at once.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric,
      ExpressibleByFloatLiteral, Codable,
      Sendable
    {
      /// A number that plays no part: nothing waits.
      public var magnitude: Int

      /// Makes a length from a number.
      public init(_ value: Int) { magnitude = value }
      /// Makes a length from a number.
      public init(integerLiteral value: Int) { self.init(value) }
      /// Makes a length from a number, without its fraction.
      public init(floatLiteral value: Double) { self.init(Int(value)) }

      /// Makes a length from a number, if it fits an `Int`.
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let value = Int(exactly: source) else { return nil }
        self.init(value)
      }

      /// Whether the number of `a` is less.
      public static func < (a: Self, b: Self) -> Bool { a.magnitude < b.magnitude }
      /// The sum of the numbers; it traps if it does not fit.
      public static func + (a: Self, b: Self) -> Self { Self(a.magnitude + b.magnitude) }
      /// The difference of the numbers; it traps if it does not fit.
      public static func - (a: Self, b: Self) -> Self { Self(a.magnitude - b.magnitude) }
      /// The product of the numbers; it traps if it does not fit.
      public static func * (a: Self, b: Self) -> Self { Self(a.magnitude * b.magnitude) }
      /// Adds the number of `b`.
      public static func += (a: inout Self, b: Self) { a = a + b }
      /// Subtracts the number of `b`.
      public static func -= (a: inout Self, b: Self) { a = a - b }
      /// Multiplies by the number of `b`.
      public static func *= (a: inout Self, b: Self) { a = a * b }

      /// No time, whatever `s` is.
      public static func seconds(_ s: Int) -> Self { 0 }
      /// No time, whatever `s` is.
      public static func seconds(_ s: Double) -> Self { 0 }
      /// No time, whatever `ms` is.
      public static func milliseconds(_ ms: Int) -> Self { 0 }
      /// No time, whatever `us` is.
      public static func microseconds(_ us: Int) -> Self { 0 }
      /// No time, whatever `ns` is.
      public static func nanoseconds(_ ns: Int) -> Self { 0 }
    }

    /// No time: all moments are the same.
    public func distance(to other: Self) -> Stride { 0 }
    /// The same moment.
    public func advanced(by n: Stride) -> Self { self }
  }

  /// The one moment.
  public var now: SchedulerTimeType { SchedulerTimeType() }
  /// 0: nothing is ever late.
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Runs `action` before it returns.
  public func schedule(options: Never?, _ action: @escaping () -> Void) { action() }

  /// Runs `action` before it returns, whatever `date` is.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: Never?,
    _ action: @escaping () -> Void
  ) {
    action()
  }

  /// Runs `action` once, before it returns; the result cancels nothing.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    action()
    return Subscriptions.empty
  }

  /// Lets `line` come before it returns.
  public func _schedule(
    _ line: _ActionLine,
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: Never?
  ) {
    line.isDue()
  }

  /// Lets `line` come before it returns.
  public func _schedule(_ line: _ActionLine, options: Never?) { line.isDue() }
}
