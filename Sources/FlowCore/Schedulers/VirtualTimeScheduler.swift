/// A scheduler whose clock stands still until it is told to move on.
///
/// Actions run inside `advance(to:)`, `advance(by:)` and `run(limit:)`, on the thread that calls:
/// by due time and, of those due at one moment, in order of scheduling. While an action runs `now`
/// is its due time; what it schedules within the span runs too. Tests advance as they please; a
/// program can drive one by a real clock and `nextDeadline`.
///
/// Scheduling is safe from any thread. One thread at a time may advance; an action may, too.
public final class VirtualTimeScheduler: Scheduler {
  /// No options can be given.
  public typealias SchedulerOptions = Never

  private let lock = Lock()
  // The lock sees to it that nobody else is at them (memory 5).
  @safe @exclusivity(unchecked) private var state: State

  private struct State {
    var time: SchedulerTimeType
    var timeline = Timeline()
    var skipped = 0
  }

  /// Makes a scheduler whose clock shows `now`.
  public init(now: SchedulerTimeType = .init(nanoseconds: 0)) { state = State(time: now) }

  /// The moment that the clock shows.
  public var now: SchedulerTimeType { lock.withLock { state.time } }

  /// 0: an action runs when the clock comes to its moment.
  public var minimumTolerance: SchedulerTimeType.Stride { .nanoseconds(0) }

  /// When the first of the scheduled actions is due; `nil` if there is none.
  public var nextDeadline: SchedulerTimeType? {
    lock.withLock { state.timeline.next.map { SchedulerTimeType(nanoseconds: $0) } }
  }

  /// How many actions are scheduled; a repeating one counts once, and so does a line.
  var scheduledCount: Int { lock.withLock { state.timeline.count } }

  /// Moves the clock on to `end`, running everything that is due until then, `end` included.
  ///
  /// A moment that has passed runs what is due and leaves the clock alone.
  public func advance(to end: SchedulerTimeType) {
    while let action = popAction(until: end, orMoveOn: true) { action.run() }
  }

  /// Moves the clock on by `stride`, running everything that is due until then.
  public func advance(by stride: SchedulerTimeType.Stride) {
    advance(to: now.advanced(by: stride))
  }

  /// Runs what is scheduled, moving the clock on as needed, until nothing is left.
  ///
  /// - Parameter limit: how many actions to run at most; a repeating action never leaves nothing.
  public func run(limit: Int = .max) {
    let end = SchedulerTimeType(nanoseconds: .max)
    var count = 0
    while count < limit, let action = popAction(until: end) {
      action.run()
      count += 1
    }
  }

  /// Takes the first action that is due until `end`; if none is, `end` may be the new time.
  private func popAction(
    until end: SchedulerTimeType,
    orMoveOn movesOn: Bool = false
  ) -> Timeline.Action? {
    lock.withLock {
      guard let due = state.timeline.pop(until: max(end, state.time).nanoseconds) else {
        if movesOn { state.time = max(state.time, end) }
        return nil
      }
      state.time = max(state.time, SchedulerTimeType(nanoseconds: due.moment))
      return due.action
    }
  }
}

// For a program that drives it by a real clock, and may be late.
extension VirtualTimeScheduler {
  /// Lets the clock show `moment`, unless that has passed, and runs nothing.
  public func show(_ moment: SchedulerTimeType) {
    lock.withLock { state.time = max(state.time, moment) }
  }

  /// Runs the first action that is due at the time shown; false if none is.
  ///
  /// A repeating action runs once for all of its times that have passed. `now` is the time shown.
  public func runFirstDue() -> Bool {
    guard
      let due = lock.withLock({ state.timeline.pop(until: state.time.nanoseconds, isLate: true) })
    else {
      return false
    }
    due.action.run()
    guard let (repetition, count) = due.skipped, count > 0 else { return true }
    lock.withLock { if repetition.action != nil { state.skipped &+= Int(count) } }
    return true
  }

  /// How many times of repeating actions were left out, since they had passed.
  public var skippedCount: Int { lock.withLock { state.skipped } }
}

// The lock guards all there is; actions run outside of it.
extension VirtualTimeScheduler: @unchecked Sendable {}

extension VirtualTimeScheduler {
  /// Has `action` run at the present moment, within the next `advance` or `run`.
  public func schedule(options: Never?, _ action: @escaping () -> Void) {
    lock.withLock { state.timeline.insert(action, at: state.time.nanoseconds) }
  }

  /// Has `action` run when the clock comes to `date`, or at the present moment if that has passed.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: Never?,
    _ action: @escaping () -> Void
  ) {
    lock.withLock { state.timeline.insert(action, at: max(date, state.time).nanoseconds) }
  }

  /// Has `action` run at `date` and then every `interval`, until the result is cancelled or
  /// released.
  ///
  /// An interval of 0 or less traps.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    startTimer(after: date, interval: interval, action)
  }

  private func startTimer(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) -> RepeatingTimer {
    precondition(interval > .nanoseconds(0), "interval is \(interval), expected more than 0")
    let repetition = lock.withLock {
      state.timeline.insert(
        action,
        at: max(date, state.time).nanoseconds,
        every: interval.nanoseconds
      )
    }
    return RepeatingTimer(self, repetition)
  }

  /// A repeating action; it ends with this object.
  private final class RepeatingTimer: _Timer {
    private let scheduler: VirtualTimeScheduler
    private let repetition: Timeline.Repetition

    init(_ scheduler: VirtualTimeScheduler, _ repetition: Timeline.Repetition) {
      self.scheduler = scheduler
      self.repetition = repetition
      super.init()
    }

    deinit { cancel() }

    override func cancel() {
      let action = scheduler.lock.withLock { scheduler.state.timeline.remove(repetition) }
      _ = action  // dies outside of the lock
    }

    func postpone(to date: SchedulerTimeType) -> Bool {
      scheduler.lock.withLock {
        scheduler.state.timeline.postpone(repetition, to: date.nanoseconds)
      }
    }
  }
}

// For the operators.
extension VirtualTimeScheduler {
  /// Starts a repeating action, which can be put off.
  public func _startTimer(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: Never?,
    _ action: @escaping () -> Void
  ) -> _Timer {
    startTimer(after: date, interval: interval, action)
  }

  /// Has `timer` come at `date`, in the place of one that is started now.
  public func _postpone(_ timer: _Timer, to date: SchedulerTimeType) -> Bool {
    // memory 7: it is one of those that are started above.
    unsafe unsafeDowncast(timer, to: RepeatingTimer.self).postpone(to: date)
  }

  /// Keeps what `line` is to come for in the line, with one entry of the timeline.
  public func _schedule(
    _ line: _ActionLine,
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: Never?
  ) {
    lock.withLock { state.timeline.append(line, at: max(date, state.time).nanoseconds) }
  }

  /// Has `line` come at the present moment.
  public func _schedule(_ line: _ActionLine, options: Never?) {
    lock.withLock { state.timeline.append(line, at: state.time.nanoseconds) }
  }

  /// Takes `line` out, which the caller holds: it does not die under the lock.
  public func _forget(_ line: _ActionLine) {
    lock.withLock { state.timeline.remove(line) }
  }
}

extension VirtualTimeScheduler {
  /// A moment: nanoseconds since the clock's zero.
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// Nanoseconds since the clock's zero.
    public var nanoseconds: Int64

    /// Makes a moment so many nanoseconds after the clock's zero.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// How long it is from here to `other`, at most the longest there is.
    public func distance(to other: Self) -> Stride {
      Stride(nanoseconds: saturating(other.nanoseconds.subtractingReportingOverflow(nanoseconds)))
    }

    /// The moment `stride` later, at most the last that can be told.
    public func advanced(by stride: Stride) -> Self {
      Self(nanoseconds: saturating(nanoseconds.addingReportingOverflow(stride.nanoseconds)))
    }

    /// Whether `lhs` is earlier than `rhs`.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
  }
}

private func saturating(_ result: (partialValue: Int64, overflow: Bool)) -> Int64 {
  guard result.overflow else { return result.partialValue }
  return result.partialValue < 0 ? .max : .min
}
