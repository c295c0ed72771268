/// A journal that was read and may be written to.
struct OpenedJournal {
  var core: JournalCore
  var commits: CommitWork
  var report: RecoveryReport
}

/// Opens a journal: makes it, or recovers what is there.
///
/// It may be cut at any point and run again: until the first batch is stored, nothing that was
/// there has changed.
struct JournalOpening {
  var files: any JournalFiles
  var clock: JournalClock
  var limits: JournalLimits
  var isLossAccepted = false
  var notify: @Sendable (JournalEvent) -> Void

  private static let storeName = "store"

  func run() throws(JournalError) -> OpenedJournal {
    do throws(FileError) {
      guard try files.lock() else {
        throw FileError("lock", "the journal", errno: 0, message: "in use by \(files.lockOwner())")
      }
    } catch {
      throw JournalError(error.errno == 0 ? .inUse : .file, error.description)
    }
    do {
      return try open()
    } catch {
      files.unlock()
      throw error
    }
  }

  private func open() throws(JournalError) -> OpenedJournal {
    let store = try readStore()
    var recovery = try Recovery(FilesImage(directory: files), store)
    var found = try recovery.run(limits, isLossAccepted: isLossAccepted)
    let spares: [String: any JournalFile]
    do throws(FileError) {
      spares = try prepareSpares(found.reusable, &found.state)
    } catch {
      throw JournalError(error.isFull ? .full : .file, error.description)
    }
    let core = JournalCore(files, clock, found.state, notify: notify)
    for (name, file) in spares { core.keepSpare(name, file) }
    var commits = CommitWork(core)
    var losses = found.losses[...]
    // A record of a loss takes 32 bytes.
    let most = max(1, core.limits.batchBytes / 64)
    repeat {
      let some = Array(losses.prefix(most))
      losses = losses.dropFirst(most)
      if !some.isEmpty { _ = core.withGathering { $0.append(some) } }
      var pause = commits.begin()
      while pause != .end, !core.withGathering({ $0.isEmpty }) {
        if pause == .spare { throw JournalError(.full, "there is no room to record what is lost") }
        pause = commits.begin()
      }
    } while !losses.isEmpty && core.isWritable
    if let failure = core.withGathering({ $0.failure }) { throw failure }
    core.updateRoom()
    return OpenedJournal(core: core, commits: commits, report: found.report)
  }

  // MARK: The file `store`

  /// Reads the file, or makes it if the folder has no segments.
  private func readStore() throws(JournalError) -> StoreFile {
    do throws(FileError) {
      let names = try files.list()
      if names.contains(Self.storeName) {
        let file = try files.open(Self.storeName)
        let bytes = try file.read(at: 0, count: StoreFile.size + 1, isDirect: false)
        if let store = bytes.fields({ StoreFile($0) }) { return store }
      } else if !names.contains(where: { $0.hasSuffix(".seg") }) {
        return try makeStore(names)
      }
    } catch {
      throw JournalError(.file, error.description)
    }
    throw JournalError(.foreign, "the file store is missing, damaged or of another version")
  }

  private func makeStore(_ names: [String]) throws(FileError) -> StoreFile {
    let id = StoreID(high: clock.random(), low: clock.random())
    let store = StoreFile(id: id, segmentSize: limits.segmentSize)
    let draft = Self.storeName + ".tmp"
    if names.contains(draft) { try files.remove(draft) }
    let file = try files.make(draft)
    try file.write(store.bytes, at: 0)
    try file.sync()
    try files.rename(draft, to: Self.storeName)
    try files.syncDirectory()
    return store
  }

  // MARK: Spare files

  /// Makes spare files of those that are left over, and the reserve as far as there is room.
  private func prepareSpares(
    _ reusable: [String],
    _ state: inout JournalState
  ) throws(FileError) -> [String: any JournalFile] {
    let spares = SpareFiles(files, state.limits)
    var ready: [String: any JournalFile] = [:]
    for name in reusable {
      let isNamed = name.hasPrefix("free-")
      let spare = isNamed ? name : "free-\(state.nextSpare)"
      if !isNamed { state.nextSpare += 1 }
      if let file = try spares.recycle(name, to: spare, { true }) {
        ready[spare] = file
        state.madeSpare(spare)
      }
    }
    while state.spares.count <= limits.reserve {
      let name = "free-\(state.nextSpare)"
      state.nextSpare += 1
      do throws(FileError) {
        ready[name] = try spares.make(name) { true }
        state.madeSpare(name)
      } catch {
        guard error.isFull, !state.spares.isEmpty else { throw error }
        try files.remove(name)
        break
      }
    }
    return ready
  }
}
