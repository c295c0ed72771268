internal import Dispatch
internal import Synchronization

/// What a journal takes from the machine beside its files.
package struct JournalClock: Sendable {
  /// Nanoseconds of a clock that does not go back.
  package var nanoseconds: @Sendable () -> UInt64
  /// Milliseconds since 1970; they may go back.
  package var milliseconds: @Sendable () -> UInt64
  package var random: @Sendable () -> UInt64

  package init(
    nanoseconds: @escaping @Sendable () -> UInt64,
    milliseconds: @escaping @Sendable () -> UInt64,
    random: @escaping @Sendable () -> UInt64
  ) {
    self.nanoseconds = nanoseconds
    self.milliseconds = milliseconds
    self.random = random
  }
}

/// What a journal tells its user, on one of its own threads.
package enum JournalEvent: Sendable {
  /// All batches up to this one are on the disk.
  case stored(UInt64)
  /// Values may be appended again, or must wait.
  case room(Int)
  /// Nothing is stored any more; what was in flight may or may not be stored.
  case failed(JournalError)
  /// These values cannot be read; the loss is recorded.
  case lost(subject: UInt32, ClosedRange<UInt64>)
  /// Something is wrong with a file, for the log.
  case noted(String)
}

/// What the threads of a journal share.
package final class JournalCore: Sendable {
  let files: any JournalFiles
  let clock: JournalClock
  let notify: @Sendable (JournalEvent) -> Void
  let limits: JournalLimits
  /// The commit, read and housekeeping threads; the caller never waits for this lock.
  private let state: Mutex<JournalState>
  /// The caller and the commit thread, each for a moment.
  private let gathering: Mutex<Gathering>
  private let isFailed = Atomic(false)
  /// Whether the commit thread has ended.
  private let isEnded = Atomic(false)
  /// The spare files, open: a process without free descriptors can still begin a segment.
  private let spareFiles = Mutex<[String: any JournalFile]>([:])
  private let commitSignal = DispatchSemaphore(value: 0)
  private let choreSignal = DispatchSemaphore(value: 0)

  init(
    _ files: any JournalFiles,
    _ clock: JournalClock,
    _ state: JournalState,
    notify: @escaping @Sendable (JournalEvent) -> Void
  ) {
    self.files = files
    self.clock = clock
    self.notify = notify
    limits = state.limits
    gathering = Mutex(Gathering(next: state.last.lastBatch + 1, state.limits))
    self.state = Mutex(state)
  }

  package func withState<Result: Sendable>(_ body: (inout sending JournalState) -> Result) -> Result
  {
    state.withLock { body(&$0) }
  }

  package func withGathering<Result: Sendable>(
    _ body: (inout sending Gathering) -> Result
  ) -> Result {
    gathering.withLock { body(&$0) }
  }

  /// Ends everything: from now on nothing is written or synced.
  func fail(_ call: FileError) {
    guard !isFailed.exchange(true, ordering: .sequentiallyConsistent) else { return }
    let error = JournalError(.failed, "\(call); nothing is stored until the server is restarted")
    withState { $0.fail(error) }
    withGathering { $0.stop(error) }
    wakeCommits()
    wakeHousekeeping()
    notify(.failed(error))
  }

  /// Whether files may be written and synced.
  var isWritable: Bool { !isFailed.load(ordering: .sequentiallyConsistent) }

  /// Notes that nothing more is committed.
  func end() {
    isEnded.store(true, ordering: .sequentiallyConsistent)
    wakeHousekeeping()
  }

  /// Whether the housekeeping thread has something to live for.
  var isCommitting: Bool { isWritable && !isEnded.load(ordering: .sequentiallyConsistent) }

  func keepSpare(_ name: String, _ file: any JournalFile) {
    spareFiles.withLock { $0[name] = file }
  }

  func takeSpare(_ name: String) throws(FileError) -> any JournalFile {
    if let file = spareFiles.withLock({ $0.removeValue(forKey: name) }) { return file }
    return try files.open(name)
  }

  // MARK: Waking

  func wakeCommits() { commitSignal.signal() }

  func wakeHousekeeping() { choreSignal.signal() }

  /// Blocks the commit thread, at most that many nanoseconds.
  func waitForRecords(atMost nanoseconds: UInt64?) { Self.wait(commitSignal, nanoseconds) }

  /// Blocks the housekeeping thread, at most that many nanoseconds.
  func waitForChores(atMost nanoseconds: UInt64?) { Self.wait(choreSignal, nanoseconds) }

  private static func wait(_ signal: DispatchSemaphore, _ nanoseconds: UInt64?) {
    guard let nanoseconds else { return signal.wait() }
    _ = signal.wait(timeout: .now() + .nanoseconds(Int(clamping: nanoseconds)))
  }

  /// Tells the caller's side how many bytes of values the disk has room for.
  func updateRoom() {
    let bytes = withState { $0.roomForValues }
    let room = withGathering { gathering in
      gathering.setRoom(bytes)
      return gathering.room
    }
    notify(.room(room))
  }
}
