import FlowCore

/// A new group after so many values.
final class CountedWindows: Grouping {
  private let size: Int
  private var group: Group?
  private var count = 0

  init(size: Int) { self.size = size }

  func start(open: @escaping (Group) -> Void, close: @escaping (Group) -> Void) {}

  func group(for value: Value) throws(PipelineFailure) -> (group: Group, isNew: Bool, isLast: Bool)
  {
    count += 1
    let isLast = count == size
    guard let group else {
      let new = Group()
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
  private var group = Group()
  private var timer: (any Cancellable)?

  init(interval: Int, clock: VirtualTimeScheduler) {
    self.interval = interval
    self.clock = clock
  }

  func start(open: @escaping (Group) -> Void, close: @escaping (Group) -> Void) {
    open(group)
    let stride = VirtualTimeScheduler.SchedulerTimeType.Stride.nanoseconds(interval)
    timer = clock.schedule(after: clock.now.advanced(by: stride), interval: stride) { [weak self] in
      guard let self else { return }
      let old = group
      group = Group()
      close(old)
      open(group)
    }
  }

  func group(for value: Value) throws(PipelineFailure) -> (group: Group, isNew: Bool, isLast: Bool)
  {
    (group, false, false)
  }

  func stop() {
    timer?.cancel()
    timer = nil
  }
}
