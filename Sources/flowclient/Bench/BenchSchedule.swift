struct BenchSchedule {
  enum Phase {
    case opening
    case running
    /// Publishing has ended; values in transit are awaited.
    case draining
    /// Each subscription's answer to the fence is awaited.
    case fencing
    case ended

    /// The longest time without progress, in nanoseconds.
    var patience: UInt64? {
      switch self {
      case .opening: 30_000_000_000
      case .draining: 2_000_000_000
      case .fencing: 10_000_000_000
      case .running, .ended: nil
      }
    }
  }

  private(set) var phase = Phase.opening
  /// Whether publishing was ended by the clock or by the user.
  private(set) var isStopped = false
  /// When the phase ends without progress; the end of the running phase in any case.
  private(set) var deadline: UInt64?
  private var nextWake: UInt64?

  /// Whether values become due over time.
  var isPacing: Bool { phase == .running && !isStopped }

  mutating func enter(_ phase: Phase, at now: UInt64) {
    self.phase = phase
    extend(from: now)
  }

  /// Restarts the timeout of the phase.
  mutating func extend(from now: UInt64) { deadline = phase.patience.map { now + $0 } }

  mutating func run(until time: UInt64) { deadline = time }

  /// Ends publishing; the last answers get the timeout of the fence.
  mutating func stop(at now: UInt64) {
    isStopped = true
    deadline = Phase.fencing.patience.map { now + $0 }
  }

  mutating func sleeps(until time: UInt64) { nextWake = min(time, nextWake ?? time) }

  /// Whether slow subscribers must be woken; each then schedules itself again.
  mutating func wakes(at now: UInt64) -> Bool {
    guard phase == .running, let nextWake, nextWake <= now else { return false }
    self.nextWake = nil
    return true
  }

  func next(_ pacing: Pacing?) -> UInt64? {
    let due = isPacing ? pacing?.nextDue : nil
    let wake = phase == .running ? nextWake : nil
    let next = min(deadline ?? .max, due ?? .max, wake ?? .max)
    return next == .max ? nil : next
  }
}
