import Dispatch
import Synchronization

/// A thread of the world: of all, and of whoever runs the world, one at a time goes on.
///
/// What waits in the middle of its work pauses so, and leaves the world to the others.
///
/// Unchecked: for that reason.
final class Strand: Ready, @unchecked Sendable {
  /// A process that may come to its end in the middle of what it does.
  final class Owner {
    /// It waits for nothing for longer than a second any more.
    var isDead = false
  }

  private let goesOn = DispatchSemaphore(value: 0)
  private let stops = DispatchSemaphore(value: 0)
  private var work: (() -> Void)?
  private(set) var owner: Owner?
  /// Whether it waits in the middle of its work.
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

  /// A thread that has nothing to do; they are never ended, and used again.
  static func take(_ owner: Owner?, _ work: @escaping () -> Void) -> Strand {
    let strand = idle.withLock { $0.popLast() } ?? Strand()
    strand.owner = owner
    strand.work = work
    return strand
  }

  /// Lets it go on until it waits, or is done, and is given back then.
  func follow() {
    isPausing = false
    goesOn.signal()
    stops.wait()
    if !isPausing { Self.idle.withLock { $0.append(self) } }
  }

  func time(now: UInt64) -> UInt64? {
    if !hasCome, let semaphore { hasCome = semaphore.isSignalled }
    if hasCome { return now }
    return end == .max ? nil : end
  }

  /// Has it wait no longer than to that time.
  func hurry(to time: UInt64) { end = min(end, time) }

  /// Waits, on itself, for a semaphore and until a time; returns whether the semaphore was signalled.
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
  /// Whether it was signalled; that signal is taken.
  var isSignalled: Bool {
    // Zero is Dispatch's word for now; the moment itself would be waited for by the kernel.
    wait(timeout: DispatchTime(uptimeNanoseconds: 0)) == .success
  }
}
