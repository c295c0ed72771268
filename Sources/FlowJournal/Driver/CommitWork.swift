/// The work of the commit thread: one batch after the other, each written and synced.
struct CommitWork {
  /// What the thread does before the next step.
  enum Pause: Equatable {
    case none
    /// Wait for records, or until a time in nanoseconds.
    case records(until: UInt64?)
    /// Wait until housekeeping has made a spare file.
    case spare
    case end
  }

  /// The nanoseconds without traffic after which an empty batch follows the last one.
  ///
  /// Then damage of the last one can be told from a batch that was never written whole.
  static let quietTime: UInt64 = 100_000_000

  private let core: JournalCore
  /// The segment to which batches are written.
  private var file: (any JournalFile)?
  /// A batch for which there was no spare file.
  private var stalled: Batch?
  /// The number that was taken for a part of a checkpoint.
  private var reserved: UInt64?
  /// When the last batch with records was stored, if nothing followed.
  private var unconfirmedSince: UInt64?

  init(_ core: JournalCore) { self.core = core }

  /// Writes one batch if there is one.
  mutating func step() -> Pause {
    guard core.isWritable else { return .end }
    if let batch = stalled {
      stalled = nil
      return commit(batch)
    }
    if let number = reserved {
      reserved = nil
      return commit(core.withState { $0.part(number: number) })
    }
    let wantsPart = core.withState { $0.wantsPart }
    let now = core.clock.nanoseconds()
    switch core.withGathering({ $0.next(at: now, reserving: wantsPart) }) {
    case .write(let batch):
      if wantsPart { reserved = batch.number + 1 }
      return commit(batch)
    case .wait(let time?): return .records(until: time)
    case .wait(nil): return idle(now, wantsPart)
    case .stop: return closeCleanly()
    }
  }

  /// Writes the first batch of a journal that was opened, even if it has no records.
  mutating func begin() -> Pause {
    guard let number = core.withGathering({ $0.claim() }) else { return step() }
    return commit(Batch(number: number))
  }

  private mutating func idle(_ now: UInt64, _ wantsPart: Bool) -> Pause {
    if wantsPart {
      guard let number = core.withGathering({ $0.claim() }) else { return .none }
      return commit(core.withState { $0.part(number: number) })
    }
    guard let since = unconfirmedSince else { return .records(until: nil) }
    guard now >= since + Self.quietTime else { return .records(until: since + Self.quietTime) }
    guard let number = core.withGathering({ $0.claim() }) else { return .none }
    return commit(Batch(number: number))
  }

  private mutating func closeCleanly() -> Pause {
    guard core.isWritable, let number = core.withGathering({ $0.claim() }) else { return .end }
    var batch = Batch(number: number)
    batch.flags = .cleanEnd
    _ = commit(batch)
    return .end
  }

  private mutating func commit(_ taken: consuming Batch) -> Pause {
    let (milliseconds, salt) = (core.clock.milliseconds(), core.clock.random())
    var batch = consume taken
    do throws(FileError) {
      let site: JournalState.Site
      switch core.withState({ $0.place(batch, at: milliseconds, salt: salt) }) {
      case .wait:
        stalled = batch
        return .spare
      case .here(let here):
        site = here
        batch.seal(
          time: site.time,
          baseTime: site.header.baseTime,
          chain: site.chain,
          site.header.salt
        )
        guard let file else { preconditionFailure("no segment is open") }
        try file.write(batch.bytes, at: site.offset)
        guard core.isWritable else { return .end }
        try file.sync()
      case .activate(let here, let spare):
        site = here
        batch.seal(
          time: site.time,
          baseTime: site.header.baseTime,
          chain: site.chain,
          site.header.salt
        )
        try activate(site, spare, batch)
      }
      stored(batch, site)
      return .none
    } catch {
      core.fail(error)
      return .end
    }
  }

  /// Makes the spare file a segment.
  ///
  /// Its name is safe before anything in it is acknowledged.
  private mutating func activate(
    _ site: JournalState.Site,
    _ spare: String,
    _ batch: Batch
  ) throws(FileError) {
    let spareFile = try core.takeSpare(spare)
    try core.files.rename(spare, to: site.file)
    try core.files.syncDirectory()
    file = spareFile
    try spareFile.write(site.header.bytes + batch.bytes, at: 0)
    guard core.isWritable else { return }
    try spareFile.sync()
  }

  private mutating func stored(_ batch: Batch, _ site: JournalState.Site) {
    guard core.isWritable else { return }
    let (hasNews, room) = core.withState { state in
      (state.stored(batch, at: site), state.roomForValues)
    }
    let now = core.clock.nanoseconds()
    let number = batch.number
    unconfirmedSince = batch.isEmpty || !batch.flags.isEmpty ? nil : now
    core.withGathering { gathering in
      gathering.stored(at: now, buffer: batch.bytes)
      gathering.setRoom(room)
    }
    core.notify(.stored(number))
    if hasNews { core.wakeHousekeeping() }
  }
}
