internal import Dispatch
internal import Synchronization

/// A journal on disk that is written by one thread, read by another, and kept in order by a third.
///
/// Nothing but `open` waits for the disk. Records are appended to a buffer; an event says when
/// their batch is stored.
package final class Journal: Sendable {
  /// What recovery found.
  package let report: RecoveryReport
  private let core: JournalCore
  private let reads = ReadQueue()
  private let ended = DispatchGroup()

  /// Opens the journal in a folder; blocks until it can be written to.
  ///
  /// - Parameters:
  ///   - isLossAccepted: whether to go on if something is lost that cannot be counted.
  ///   - notify: receives events, on threads of the journal; it must not block.
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
    let (core, commits) = (opened.core, opened.commits)
    start("commit") { Self.commit(core, commits) }
    start("housekeeping") { Self.keepHouse(core) }
    start("read") { [reads] in Self.read(core, reads) }
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
    reads.add(ReadQueue.Entry(request: request, answer: answer))
  }

  /// The names as they were stored last: for the start, before anything is appended.
  package var catalog: Catalog { core.withState { $0.catalog } }

  /// Stores what was appended, marks the end as clean, and stops the threads.
  package func close(_ done: @escaping @Sendable () -> Void) {
    core.withGathering { $0.stop(JournalError(.closed, "the journal is closed")) }
    reads.close()
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
      case .end:
        core.wakeHousekeeping()
        return
      }
    }
  }

  private static func keepHouse(_ core: JournalCore) {
    let work = HousekeepingWork(core)
    while core.isWritable, core.withGathering({ $0.failure == nil }) {
      if work.step() { continue }
      // A full disk is tried again.
      core.waitForChores(atMost: 1_000_000_000)
    }
  }

  private static func read(_ core: JournalCore, _ reads: ReadQueue) {
    var work = ReadWork(core)
    while let next = reads.take() { next.answer(work.read(next.request)) }
  }
}

/// The reads that wait for the read thread.
private final class ReadQueue: Sendable {
  struct Entry: Sendable {
    var request: JournalReadRequest
    var answer: @Sendable ([JournalItem]) -> Void
  }

  private struct State: Sendable {
    var waiting: [Entry] = []
    var place = 0
    var isClosed = false
  }

  private let state = Mutex(State())
  private let signal = DispatchSemaphore(value: 0)

  func add(_ entry: Entry) {
    state.withLock { $0.waiting.append(entry) }
    signal.signal()
  }

  func close() {
    state.withLock { $0.isClosed = true }
    signal.signal()
  }

  /// Waits for the next read; nil when the queue is closed and empty.
  func take() -> Entry? {
    while true {
      let (entry, isClosed) = state.withLock { state -> (Entry?, Bool) in
        guard state.place < state.waiting.count else { return (nil, state.isClosed) }
        let entry = state.waiting[state.place]
        state.place += 1
        if state.place == state.waiting.count {
          state.waiting = []
          state.place = 0
        }
        return (entry, false)
      }
      if let entry { return entry }
      if isClosed { return nil }
      signal.wait()
    }
  }
}
