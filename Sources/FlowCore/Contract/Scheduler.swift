/// Runs work at once, later, or again and again.
public protocol Scheduler<SchedulerTimeType> {
  /// A moment on this scheduler's clock.
  associatedtype SchedulerTimeType: Strideable
  where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible
  /// What a scheduler can be told about a piece of work, such as its priority.
  associatedtype SchedulerOptions

  /// The present moment.
  var now: SchedulerTimeType { get }
  /// The least tolerance that can be asked for.
  var minimumTolerance: SchedulerTimeType.Stride { get }

  /// Runs `action` as soon as possible.
  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)

  /// Runs `action` at `date` or up to `tolerance` later.
  func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  )

  /// Runs `action` at `date` and then every `interval`, until cancelled.
  func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable

  /// Has `line` come at `date`, after all that it is to come for before.
  ///
  /// Unless a scheduler knows better, that is an action for each.
  func _schedule(
    _ line: _ActionLine,
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?
  )

  /// Has `line` come as soon as possible, after all that it is to come for before.
  func _schedule(_ line: _ActionLine, options: SchedulerOptions?)

  /// Lets go of `line`, which is to come no more: what it is kept for may be long in coming.
  func _forget(_ line: _ActionLine)

  /// Runs `action` at `date` and then every `interval`, until the result is cancelled or released.
  func _startTimer(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> _Timer

  /// Whether `timer`, which this scheduler has started, may be kept when it is to come no earlier
  /// than at `date` next: it comes then, or whoever it wakes too early starts another.
  ///
  /// It is called with a lock held, and so calls nobody.
  func _postpone(_ timer: _Timer, to date: SchedulerTimeType) -> Bool
}

extension Scheduler {
  /// Schedules an action for each moment that the line is to come at.
  public func _schedule(
    _ line: _ActionLine,
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?
  ) {
    schedule(after: date, tolerance: tolerance, options: options) { line.isDue() }
  }

  /// Schedules an action for each time that the line is to come.
  public func _schedule(_ line: _ActionLine, options: SchedulerOptions?) {
    schedule(options: options) { line.isDue() }
  }

  /// Leaves the line's next action where it is.
  public func _forget(_ line: _ActionLine) { line.forgetMoments() }

  /// Starts a repeating action as anybody can.
  public func _startTimer(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> _Timer {
    _Timer(
      schedule(
        after: date,
        interval: interval,
        tolerance: tolerance,
        options: options,
        action
      )
    )
  }

  /// No: as in Combine there is another timer each time; a scheduler may count them.
  public func _postpone(_ timer: _Timer, to date: SchedulerTimeType) -> Bool { false }

  /// Runs `action` as soon as possible.
  public func schedule(_ action: @escaping () -> Void) {
    schedule(options: nil, action)
  }

  /// Runs `action` at `date`.
  public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
    schedule(after: date, tolerance: minimumTolerance, options: nil, action)
  }

  /// Runs `action` at `date` or up to `tolerance` later.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) {
    schedule(after: date, tolerance: tolerance, options: nil, action)
  }

  /// Runs `action` at `date` and then every `interval`, until cancelled.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(
      after: date,
      interval: interval,
      tolerance: minimumTolerance,
      options: nil,
      action
    )
  }

  /// Runs `action` at `date` and then every `interval`, each up to `tolerance` late.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(after: date, interval: interval, tolerance: tolerance, options: nil, action)
  }
}

/// A length of time that can be made from common units.
public protocol SchedulerTimeIntervalConvertible {
  /// A length of `s` seconds.
  static func seconds(_ s: Int) -> Self
  /// A length of `s` seconds, as exactly as the type can tell.
  static func seconds(_ s: Double) -> Self
  /// A length of `ms` milliseconds.
  static func milliseconds(_ ms: Int) -> Self
  /// A length of `us` microseconds.
  static func microseconds(_ us: Int) -> Self
  /// A length of `ns` nanoseconds.
  static func nanoseconds(_ ns: Int) -> Self
}
