internal import Dispatch

/// A journal on disk that is written by one thread, read by another, and kept in order by a third.
///
/// Nothing but `open` waits for the disk. Records are appended to a buffer; an event says when
/// their batch is stored.
package final class Journal: Sendable {
  /// What recovery found.
  package let report: RecoveryReport
  private let core: JournalCore
  /// The read thread, with its work.
  private let reader: Reader
  private let ended = DispatchGroup()

  /// Opens the journal in a folder; blocks until it can be written to.
  ///
  /// Throws if something is lost that cannot be counted, unless that `isLossAccepted`. `notify`
  /// receives events on threads of the journal, and must not block.
  package static func open(
    _ files: any JournalFiles,
    _ clock: JournalClock,
    _ limits: JournalLimits = JournalLimits(),
    isLossAccepted: Bool = false,
    notify: @escaping @Sendable (JournalEvent) -> Void
  ) throws(JournalError) -> Journal {
    let opening = JournalOpening(
      files: files,
      clock: clock,
      limits: limits,
      isLossAccepted: isLossAccepted,
      notify: notify
    )
    return Journal(try opening.run())
  }

  private init(_ opened: OpenedJournal) {
    core = opened.core
    report = opened.report
    reader = Reader(opened.core)
    let (core, commits) = (opened.core, opened.commits)
    start("commit") { Self.commit(core, commits) }
    start("housekeeping") { Self.keepHouse(core) }
  }

  private func start(_ name: String, _ work: @escaping @Sendable () -> Void) {
    // A serial queue that never returns is a thread of its own.
    DispatchQueue(label: "flow.journal.\(name)", qos: .userInitiated).async(
      group: ended,
      execute: work
    )
  }

  // MARK: The caller

  /// Appends records that are stored together.
  ///
  /// The sequences of a subject's values follow one another.
  ///
  /// - Returns: the number of the batch; the event `stored` says when it is on the disk.
  package func append(_ records: [JournalRecord]) -> Result<UInt64, Gathering.Refusal> {
    let (result, isWaking) = core.withGathering { gathering in
      (gathering.append(records), gathering.isWorthWaking)
    }
    if isWaking { core.wakeCommits() }
    return result
  }

  /// Appends a value whose bytes the caller lends (memory 8).
  package func appendValue(
    subject: UInt32,
    sequence: UInt64,
    _ bytes: UnsafeRawBufferPointer
  ) -> Result<UInt64, Gathering.Refusal> {
    let (result, isWaking) = core.withGathering { gathering in
      let result = unsafe gathering.appendValue(subject: subject, sequence: sequence, bytes)
      return (result, gathering.isWorthWaking)
    }
    if isWaking { core.wakeCommits() }
    return result
  }

  /// The bytes of values that may be appended now.
  package var room: Int { core.withGathering { $0.room } }

  /// Reads values on the read thread, which calls `answer`.
  package func read(
    _ request: JournalReadRequest,
    _ answer: @escaping @Sendable ([JournalItem]) -> Void
  ) {
    reader.read(request, answer, ended)
  }

  /// The names as they were stored last: for the start, before anything is appended.
  package var catalog: Catalog { core.withState { $0.catalog } }

  /// Stores what was appended, marks the end as clean, and stops the threads.
  package func close(_ done: @escaping @Sendable () -> Void) {
    core.withGathering { $0.stop(JournalError(.closed, "the journal is closed")) }
    core.wakeCommits()
    core.wakeHousekeeping()
    ended.notify(queue: .global()) { [core] in
      core.files.unlock()
      done()
    }
  }

  // MARK: Threads

  private static func commit(_ core: JournalCore, _ work: CommitWork) {
    var work = work
    while true {
      switch work.step() {
      case .none: continue
      case .records(nil): core.waitForRecords(atMost: nil)
      case .records(let until?):
        let now = core.clock.nanoseconds()
        core.waitForRecords(atMost: until - min(until, now))
      case .spare:
        core.wakeHousekeeping()
        core.waitForRecords(atMost: 10_000_000)
      case .end: return core.end()
      }
    }
  }

  private static func keepHouse(_ core: JournalCore) {
    var work = HousekeepingWork(core)
    while core.isCommitting {
      if work.step() { continue }
      // A full disk is tried again.
      core.waitForChores(atMost: 1_000_000_000)
    }
  }
}

/// A serial queue with the work that belongs to it.
private final class Reader: @unchecked Sendable {  // only the queue touches the work
  private let queue = DispatchQueue(label: "flow.journal.read", qos: .userInitiated)
  private let work: ReadWork

  init(_ core: JournalCore) { work = ReadWork(core) }

  func read(
    _ request: JournalReadRequest,
    _ answer: @escaping @Sendable ([JournalItem]) -> Void,
    _ group: DispatchGroup
  ) {
    queue.async(group: group) { [self] in answer(work.read(request)) }
  }
}
