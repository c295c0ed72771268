import Synchronization

@testable import FlowJournal

/// A journal on a disk in memory, whose three threads take turns as the test says.
///
/// One thread uses it: the calls of the disk come back on the same.
final class JournalRig: @unchecked Sendable {
  let disk: MemoryDisk
  var limits: JournalLimits
  private(set) var core: JournalCore?
  private(set) var report = RecoveryReport()
  private var commits: CommitWork?
  private var housekeeping: HousekeepingWork?
  private let events = Mutex<[JournalEvent]>([])
  /// In nanoseconds; each look at the clock takes a millisecond.
  private let time = Mutex<UInt64>(1_000_000_000)
  /// Added to the calendar, in milliseconds.
  private let offset = Mutex<Int64>(1_700_000_000_000)
  private let dice: Mutex<JournalDice>

  init(_ disk: MemoryDisk, seed: UInt64 = 1) {
    self.disk = disk
    dice = Mutex(JournalDice(seed: seed))
    limits = JournalLimits()
    limits.segmentSize = 4 * SegmentHeader.size
    limits.batchBytes = 2048
    limits.partBytes = 1024
    limits.mostSpares = 4
  }

  private var clock: JournalClock {
    JournalClock(
      nanoseconds: { [self] in
        time.withLock { time in
          time += 1_000_000
          return time
        }
      },
      milliseconds: { [self] in
        let offset = offset.withLock { $0 }
        return UInt64(Int64(time.withLock { $0 / 1_000_000 }) + offset)
      },
      random: { [self] in dice.withLock { $0.number() } }
    )
  }

  func moveCalendar(_ milliseconds: Int64) { offset.withLock { $0 += milliseconds } }

  func passTime(_ nanoseconds: UInt64) { time.withLock { $0 += nanoseconds } }

  /// Opens the journal as a process does that starts.
  func open(isLossAccepted: Bool = false) throws {
    core = nil
    commits = nil
    housekeeping = nil
    disk.unlock()
    let opening = JournalOpening(
      files: disk,
      clock: clock,
      limits: limits,
      isLossAccepted: isLossAccepted,
      notify: { [self] event in events.withLock { $0.append(event) } }
    )
    let opened = try opening.run()
    core = opened.core
    housekeeping = HousekeepingWork(opened.core)
    commits = opened.commits
    report = opened.report
  }

  /// Reads the journal without changing anything; nil if it was never made.
  func inspect(isLossAccepted: Bool = true) throws -> RecoveryReport? {
    guard let store = disk.contents("store").fields({ StoreFile($0) }) else { return nil }
    var recovery = try Recovery(FilesImage(directory: disk), store)
    return try recovery.run(limits, isLossAccepted: isLossAccepted).report
  }

  /// Events since the last call.
  func takeEvents() -> [JournalEvent] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }

  /// The highest batch of these events that is stored.
  static func stored(_ events: [JournalEvent]) -> UInt64 {
    events.reduce(0) { most, event in
      if case .stored(let batch) = event { max(most, batch) } else { most }
    }
  }

  func append(_ records: [JournalRecord]) -> Result<UInt64, Gathering.Refusal> {
    core?.withGathering { $0.append(records) } ?? .failure(.busy)
  }

  /// One step of the commit thread.
  @discardableResult
  func commit() -> CommitWork.Pause { commits?.step() ?? .end }

  /// Steps until everything is stored that was appended.
  func commitAll() {
    for _ in 0..<10_000 {
      switch commit() {
      case .none: continue
      case .records(nil), .end: return
      case .records(let until?):
        let now = time.withLock { $0 }
        if core?.withGathering({ $0.isEmpty }) == true, until > now + 50_000_000 { return }
        passTime(until - min(until, now))
      case .spare: guard keepHouse() else { return }
      }
    }
  }

  /// One step of the housekeeping thread.
  @discardableResult
  func keepHouse() -> Bool { housekeeping?.step() ?? false }

  func keepAllHouse() {
    for _ in 0..<1000 {
      while keepHouse() {}
      guard let core, !core.withGathering({ $0.isEmpty }) else { return }
      commitAll()
    }
  }

  func read(_ subject: UInt32, from sequence: UInt64 = 0, most: Int = 1 << 20) -> [JournalItem] {
    guard let core else { return [] }
    return ReadWork(core).read(
      JournalReadRequest(subject: subject, from: sequence, mostValues: most, mostBytes: 1 << 30)
    )
  }

  /// Closes the journal properly.
  func close() {
    core?.withGathering { $0.stop(JournalError(.closed, "closed")) }
    while let pause = commits?.step(), pause != .end {}
    disk.unlock()
    core = nil
    commits = nil
    housekeeping = nil
  }

  var catalog: Catalog { core?.withState { $0.catalog } ?? Catalog() }

  var segments: [Segment] {
    core?.withState { $0.segments.values.sorted { $0.number < $1.number } } ?? []
  }
}
