import FlowCore

/// A new part after so many values.
final class CountedWindows: Division {
  private let size: Int
  private var part: Part?
  private var count = 0

  init(size: Int) { self.size = size }

  func start(open: @escaping (Part) -> Void, close: @escaping (Part) -> Void) {}

  func part(for value: Value) throws(PipelineFailure) -> (part: Part, isNew: Bool, isLast: Bool) {
    count += 1
    let isLast = count == size
    guard let part else {
      let new = Part()
      if isLast { count = 0 } else { part = new }
      return (new, true, isLast)
    }
    if isLast {
      self.part = nil
      count = 0
    }
    return (part, false, isLast)
  }

  func stop() { part = nil }
}

/// A new part each time so much time has passed, from the subscription on, also without values.
final class TimedWindows: Division {
  private let interval: Int
  private let clock: VirtualTimeScheduler
  private var part = Part()
  private var timer: (any Cancellable)?

  init(interval: Int, clock: VirtualTimeScheduler) {
    self.interval = interval
    self.clock = clock
  }

  func start(open: @escaping (Part) -> Void, close: @escaping (Part) -> Void) {
    open(part)
    let stride = VirtualTimeScheduler.SchedulerTimeType.Stride.nanoseconds(interval)
    timer = clock.schedule(after: clock.now.advanced(by: stride), interval: stride) { [weak self] in
      guard let self else { return }
      let old = part
      part = Part()
      close(old)
      open(part)
    }
  }

  func part(for value: Value) throws(PipelineFailure) -> (part: Part, isNew: Bool, isLast: Bool) {
    (part, false, false)
  }

  func stop() {
    timer?.cancel()
    timer = nil
  }
}
