/// The work of the housekeeping thread: files are made, recycled, copied and removed here.
struct HousekeepingWork {
  /// How long no file is made when the disk is full, in nanoseconds.
  private static let fullPause: UInt64 = 1_000_000_000

  private let core: JournalCore
  /// What could not be begun for want of descriptors or memory.
  private var postponed: Chore?

  init(_ core: JournalCore) { self.core = core }

  /// Does one thing; returns false if there is nothing to do.
  mutating func step() -> Bool {
    guard core.isWritable else { return false }
    let (now, salt) = (core.clock.nanoseconds(), core.clock.random())
    let next = postponed ?? core.withState { $0.nextChore(at: now, salt: salt) }
    guard let chore = next else { return false }
    postponed = nil
    do throws(FileError) {
      return try perform(chore, now)
    } catch {
      // Only opening fails so, which comes before anything is changed.
      if error.isPassing {
        postponed = chore
        return false
      }
      core.fail(error)
      return false
    }
  }

  private func perform(_ chore: Chore, _ now: UInt64) throws(FileError) -> Bool {
    switch chore {
    case .makeSpare(let name): try makeSpare(name, now)
    case .writeFooter(let segment, let index): try writeFooter(segment, index)
    case .recycle(let number, let file, let spare): try recycle(number, file, spare)
    case .remove(let number, let file):
      try SpareFiles(core.files, core.limits).remove(file)
      core.withState { $0.recycled(number, to: nil) }
    case .copy(let plan): try copy(plan)
    case .announce(let records): return announce(records)
    }
    core.updateRoom()
    return true
  }

  private func makeSpare(_ name: String, _ now: UInt64) throws(FileError) {
    do throws(FileError) {
      let file = try SpareFiles(core.files, core.limits).make(name) { core.isWritable }
      core.keepSpare(name, file)
      core.withState { $0.madeSpare(name) }
    } catch {
      guard error.isFull else { throw error }
      try? core.files.remove(name)
      core.withState { $0.foundFull(until: now + Self.fullPause) }
    }
  }

  private func writeFooter(_ segment: Segment, _ index: SegmentIndex) throws(FileError) {
    let frame = Footer.frame(
      index,
      lastBatch: segment.lastBatch,
      chain: segment.chain,
      time: segment.summary.lastTime,
      segment.header.salt
    )
    let place = Footer.place(behind: segment.end)
    let isFitting = place + frame.count + Footer.trailerSize <= core.limits.segmentSize
    if isFitting {
      let trailer = Footer.Trailer(
        segment: segment.number,
        offset: place,
        length: frame.count,
        runs: index.runs.count,
        summary: segment.summary
      )
      let file = try core.files.open(segment.file)
      try file.write(frame, at: place)
      let last = core.limits.segmentSize - Footer.trailerSize
      try file.write(Footer.trailer(trailer, segment.header.salt), at: last)
      guard core.isWritable else { return }
      try file.sync()
    }
    core.withState { $0.wroteFooter(segment.number, isWritten: isFitting) }
  }

  private func recycle(_ number: UInt64, _ file: String, _ spare: String) throws(FileError) {
    let reusable = try SpareFiles(core.files, core.limits).recycle(file, to: spare) {
      core.isWritable
    }
    if let reusable { core.keepSpare(spare, reusable) }
    core.withState { $0.recycled(number, to: reusable == nil ? nil : spare) }
  }

  private func announce(_ records: [JournalRecord]) -> Bool {
    let isAppended = core.withGathering { gathering in
      if case .success = gathering.append(records) { true } else { false }
    }
    if isAppended { core.withState { $0.announced() } }
    return isAppended
  }

  private func copy(_ plan: CopyPlan) throws(FileError) {
    let target = try core.takeSpare(plan.spare)
    var copier = try SegmentCopier(core.files, core.limits, plan, target)
    if let copy = try copier.run({ core.isWritable }) {
      core.withState { $0.copied(copy) }
    } else if core.isWritable {
      core.keepSpare(plan.spare, target)
      core.withState { $0.copyOverflowed(to: plan.spare) }
    }
  }
}
