import FlowCore

// The key of a group is when it began.

/// A new group after so many values.
final class CountedWindows: Grouping {
  private let size: Int
  private let work: Work
  private var group: Group?
  private var count = 0

  init(size: Int, work: Work) {
    self.size = size
    self.work = work
  }

  func start(open: @escaping (Group) -> Void, close: @escaping (Group) -> Void) {}

  func group(
    for input: Incoming
  ) throws(PipelineFailure) -> (group: Group, isNew: Bool, isLast: Bool) {
    count += 1
    let isLast = count == size
    guard let group else {
      let new = Group(key: Moments.seconds(work.timeOfDay))
      if isLast { count = 0 } else { group = new }
      return (new, true, isLast)
    }
    if isLast {
      self.group = nil
      count = 0
    }
    return (group, false, isLast)
  }

  func stop() { group = nil }
}

/// A new group each time so much time has passed, from the subscription on, also without values.
final class TimedWindows: Grouping {
  private let interval: Int
  private let clock: VirtualTimeScheduler
  /// When the first began, by the clock and in nanoseconds since 1970.
  private let beginning: (moment: Int64, timeOfDay: Int64)
  private var group: Group
  private var timer: (any Cancellable)?

  init(interval: Int, clock: VirtualTimeScheduler, work: Work) {
    self.interval = interval
    self.clock = clock
    beginning = (clock.now.nanoseconds, work.timeOfDay)
    group = Group(key: Moments.seconds(work.timeOfDay))
  }

  /// The beginning of the interval that it is now.
  private var start: Value {
    let passed = (clock.now.nanoseconds - beginning.moment) / Int64(interval) * Int64(interval)
    return Moments.seconds(beginning.timeOfDay &+ passed)
  }

  func start(open: @escaping (Group) -> Void, close: @escaping (Group) -> Void) {
    open(group)
    let stride = VirtualTimeScheduler.SchedulerTimeType.Stride.nanoseconds(interval)
    timer = clock.schedule(after: clock.now.advanced(by: stride), interval: stride) { [weak self] in
      guard let self else { return }
      let old = group
      group = Group(key: start)
      close(old)
      open(group)
    }
  }

  func group(
    for input: Incoming
  ) throws(PipelineFailure) -> (group: Group, isNew: Bool, isLast: Bool) {
    (group, false, false)
  }

  func stop() {
    timer?.cancel()
    timer = nil
  }
}
