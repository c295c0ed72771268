import Dispatch
import FlowServer
import FlowTransport
import Glibc
import Synchronization

/// A thread that reports long turns of the loop, and tells the service manager that it is alive.
final class Watchdog: Sendable {
  /// A longer turn, in nanoseconds, ends the process if a manager restarts it.
  private static let longest: UInt64 = 30_000_000_000

  private let server: Server
  private let log: ServerLog
  private let manager: ServiceManager?
  private let isAlive = Atomic(true)

  init(_ server: Server, log: ServerLog, manager: ServiceManager?) {
    self.server = server
    self.log = log
    self.manager = manager
  }

  /// Starts the thread, which never ends.
  func start() {
    // A queue whose block never returns has its own thread.
    DispatchQueue(label: "flow.watchdog").async { @Sendable [self] in run() }
  }

  private func run() -> Never {
    var watch = TurnWatch()
    var nextSign = SystemPlatform.shared.monotonicNanoseconds
    while true {
      var pause = timespec(tv_sec: 0, tv_nsec: Int(watch.pause))
      unsafe nanosleep(&pause, nil)
      let now = SystemPlatform.shared.monotonicNanoseconds
      check(&watch, now)
      if let patience = manager?.patience, now >= nextSign {
        nextSign = now + patience / 4
        giveSign()
      }
    }
  }

  private func check(_ watch: inout TurnWatch, _ now: UInt64) {
    let turn = server.turnUnderWay
    let lasted = watch.lasted
    switch watch.examine(turn?.number, began: turn?.began ?? 0, now: now) {
    case .long: tell("slow-turn", "has been busy", watch.lasted, doing: turn?.doing)
    case .ended: tell("slow-turn-ended", "was busy", lasted)
    case nil: break
    }
    guard manager?.patience != nil, watch.lasted > Self.longest else { return }
    tell("aborting", "has been busy", watch.lasted, doing: turn?.doing, level: .error)
    log.flush()
    abort()
  }

  private func tell(
    _ event: String,
    _ what: String,
    _ lasted: UInt64,
    doing: String? = nil,
    level: ServerLogEvent.Level = .warning
  ) {
    var fields = [ServerLogEvent.Field.number("ms", Int(lasted / 1_000_000))]
    if let doing { fields.append(.text("doing", doing)) }
    let end = (doing.map { ": \($0)" } ?? "") + (level == .error ? "; aborting" : "")
    log.log(level, event, "the loop \(what) for \(Self.seconds(lasted))\(end)", fields)
  }

  /// Tells the manager that the loop is alive, if it answered since the last time.
  private func giveSign() {
    guard isAlive.exchange(false, ordering: .relaxed) else { return }
    manager?.alive()
    server.probe { @Sendable [self] in isAlive.store(true, ordering: .relaxed) }
  }

  private static func seconds(_ nanoseconds: UInt64) -> String {
    "\(nanoseconds / 1_000_000_000).\(nanoseconds / 100_000_000 % 10) s"
  }
}
