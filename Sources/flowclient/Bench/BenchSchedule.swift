/// The phase of a bench, and when it ends.
struct BenchSchedule {
  enum Phase {
    /// Connections are being made.
    case opening
    case running
    /// Publishing has ended; values under way are awaited.
    case draining
    /// Each subscription is asked for its last word.
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
  /// Whether publishing was ended by the clock or from outside.
  private(set) var isStopped = false
  /// When the phase ends if there is no progress; while running, when it ends in any case.
  private(set) var deadline: UInt64?
  private var nextWake: UInt64?

  /// Whether values become due with time.
  var isPacing: Bool { phase == .running && !isStopped }

  mutating func enter(_ phase: Phase, at now: UInt64) {
    self.phase = phase
    extend(from: now)
  }

  /// Restarts the time of the phase.
  mutating func extend(from now: UInt64) { deadline = phase.patience.map { now + $0 } }

  mutating func run(until time: UInt64) { deadline = time }

  /// Publishing ends; the last answers have as long as the last words.
  mutating func stop(at now: UInt64) {
    isStopped = true
    deadline = Phase.fencing.patience.map { now + $0 }
  }

  /// A slow subscriber has to be woken at `time`.
  mutating func sleeps(until time: UInt64) { nextWake = min(time, nextWake ?? time) }

  /// Whether sleepers have to be woken, who are to say again until when they sleep.
  mutating func wakes(at now: UInt64) -> Bool {
    guard phase == .running, let nextWake, nextWake <= now else { return false }
    self.nextWake = nil
    return true
  }

  /// The time of the next check.
  func next(_ pacing: Pacing?) -> UInt64? {
    let due = isPacing ? pacing?.nextDue : nil
    let wake = phase == .running ? nextWake : nil
    let next = min(deadline ?? .max, due ?? .max, wake ?? .max)
    return next == .max ? nil : next
  }
}
