import Dispatch
import Synchronization

/// A thread of the world.
///
/// Only one thread runs at a time: a strand, or the one that runs the world. Work that would wait
/// calls `pause`, which lets the world continue.
///
/// Unchecked, since only one thread runs at a time.
final class Strand: Ready, @unchecked Sendable {
  /// A process that may be ended in the middle of its work.
  final class Owner {
    /// Whether the process is ended; then its waits last at most a second.
    var isDead = false
    /// Whether its loops may wait in the middle of their turns.
    let waitsInTurns: Bool
    /// Called when the process wants to end itself.
    var ended: () -> Void = {}

    init(waitsInTurns: Bool = true) { self.waitsInTurns = waitsInTurns }
  }

  private let goesOn = DispatchSemaphore(value: 0)
  private let stops = DispatchSemaphore(value: 0)
  private var work: (() -> Void)?
  private(set) var owner: Owner?
  /// Whether its work has called `pause`, which has not returned yet.
  private(set) var isPausing = false
  private var semaphore: DispatchSemaphore?
  private var end = UInt64.max
  private var hasCome = false

  private static let idle = Mutex<[Strand]>([])

  private init() {
    DispatchQueue(label: "flow.simulation.strand").async { [self] in
      while true {
        goesOn.wait()
        work?()
        work = nil
        owner = nil
        stops.signal()
      }
    }
  }

  /// Returns an idle thread with new work; threads are used again, and never end.
  static func take(_ owner: Owner?, _ work: @escaping () -> Void) -> Strand {
    let strand = idle.withLock { $0.popLast() } ?? Strand()
    strand.owner = owner
    strand.work = work
    return strand
  }

  /// Runs its work until that pauses or ends; after the end, the strand is idle again.
  func follow() {
    isPausing = false
    goesOn.signal()
    let result = stops.wait(timeout: .now() + .seconds(600))
    precondition(result == .success, "waited 600 s for a thread of a program to pause or end")
    if !isPausing { Self.idle.withLock { $0.append(self) } }
  }

  func time(now: UInt64) -> UInt64? {
    if !hasCome, let semaphore { hasCome = semaphore.isSignalled }
    if hasCome { return now }
    return end == .max ? nil : end
  }

  /// Lets its pause end at `time` at the latest.
  func hurry(to time: UInt64) { end = min(end, time) }

  /// Pauses until `semaphore` is signalled or the time `end`; returns whether it was signalled.
  func pause(for semaphore: DispatchSemaphore?, until end: UInt64) -> Bool {
    self.semaphore = semaphore
    self.end = end
    hasCome = false
    isPausing = true
    stops.signal()
    goesOn.wait()
    self.semaphore = nil
    return hasCome
  }
}

extension DispatchSemaphore {
  /// Whether it was signalled; consumes the signal.
  var isSignalled: Bool {
    // With time 0 Dispatch does not call the kernel, as it would with the current time.
    wait(timeout: DispatchTime(uptimeNanoseconds: 0)) == .success
  }
}
