/// What the housekeeping thread is told to do, one at a time.
package enum Chore: Equatable, Sendable {
  /// Make a file of zeros.
  case makeSpare(String)
  /// Write the index of a sealed segment behind its last batch.
  case writeFooter(Segment, SegmentIndex)
  /// Make a spare file of a segment in which nothing is needed.
  case recycle(UInt64, file: String, to: String)
  /// Remove the file of such a segment: there are enough spare ones.
  case remove(UInt64, file: String)
  /// Copy what is needed of some segments into a spare file.
  case copy(CopyPlan)
  /// Append these records: they put a copy in the place of its sources.
  case announce([JournalRecord])
}

package struct CopyPlan: Equatable, Sendable {
  package struct Piece: Equatable, Sendable {
    package var subject: UInt32
    package var run: ValueIndex.Run
  }

  package var sources: [Segment]
  /// For sources without a footer, their indexes.
  package var indexes: [UInt32: SegmentIndex]
  /// Sorted by subject, then by sequence.
  package var pieces: [Piece]
  package var spare: String
  package var header: SegmentHeader
  package var file: String
}

/// A cold segment that is complete on the disk.
package struct CopiedSegment: Equatable, Sendable {
  package var segment: Segment
  package var runs: [SegmentIndex.Run]
  /// Values that could not be read.
  package var lost: [JournalRecord]
  package var sources: [UInt64]
}

/// What the housekeeping thread is doing, and what keeps it from doing more.
struct Housekeeping: Sendable {
  enum Copying: Sendable {
    case none
    case reading([UInt32])
    /// Complete on the disk; the records that say so are not appended.
    case copied(CopiedSegment)
    /// The records are appended.
    case announced(CopiedSegment)
  }

  var copying = Copying.none
  /// The share of a segment that a plan fills, in percent.
  var fill = 90
  /// Whether a file is being made, and until when none is made because the disk is full.
  var isMakingSpare = false
  /// In nanoseconds.
  var fullUntil: UInt64 = 0
}

extension JournalState {
  /// Whether recovery would need the segment's batches.
  private func isPinned(_ segment: Segment) -> Bool {
    !segment.header.isCold && segment.number >= checkpointing.newest.segment
  }

  private func isIdle(_ segment: Segment) -> Bool {
    segment.phase == .sealed && segment.readers == 0 && !isPinned(segment)
  }

  /// Returns what is to be done next.
  ///
  /// `now` is in nanoseconds, of any clock that does not go back; `salt` is random, for the case
  /// that a segment begins.
  mutating func nextChore(at now: UInt64, salt: UInt64) -> Chore? {
    guard failure == nil, head != 0 else { return nil }
    if case .copied(let copy) = housekeeping.copying {
      let moved = copy.sources.map { JournalRecord.moved(from: $0, to: copy.segment.number) }
      return .announce(copy.lost + moved)
    }
    let sorted = segments.values.sorted { $0.number < $1.number }
    if let empty = sorted.first(where: { isIdle($0) && $0.live == 0 }) {
      return recycle(empty)
    }
    if spares.count < limits.spares, now >= housekeeping.fullUntil,
      segments.count + spares.count < limits.segments
    {
      return .makeSpare(nextSpareName())
    }
    if let bare = sorted.first(where: {
      $0.phase == .sealed && !$0.hasFooter && !$0.isFooterless && $0.number < last.segment
    }), let index = index.open[UInt32(bare.number)] {
      segments[UInt32(bare.number)]?.readers += 1
      return .writeFooter(bare, index.segmentIndex)
    }
    return planCopy(sorted, salt: salt).map { .copy($0) }
  }

  private mutating func nextSpareName() -> String {
    nextSpare += 1
    return "free-\(nextSpare - 1)"
  }

  private mutating func recycle(_ segment: Segment) -> Chore {
    segments[UInt32(segment.number)]?.phase = .recycling
    index.close(UInt32(segment.number))
    if spares.count >= limits.mostSpares { return .remove(segment.number, file: segment.file) }
    return .recycle(segment.number, file: segment.file, to: nextSpareName())
  }

  /// Chooses the emptiest segments, as many as fit into one.
  private mutating func planCopy(_ sorted: [Segment], salt: UInt64) -> CopyPlan? {
    guard case .none = housekeeping.copying, let spare = spares.last else { return nil }
    let idle = sorted.filter { isIdle($0) && $0.live > 0 }
    let live = idle.reduce(0) { $0 + $1.liveBytes }
    let dead = idle.count * limits.segmentSize - live
    let isTight = spares.count < limits.spares
    guard isTight || dead > max(live, 4 * limits.segmentSize) else { return nil }
    var chosen: [Segment] = []
    var bytes = SegmentHeader.size + FrameHeader.size + Footer.size(runs: 0, values: 0)
    for segment in idle.sorted(by: { $0.liveBytes < $1.liveBytes })
    where isTight || segment.liveBytes < limits.segmentSize / 2 {
      let grown = bytes + segment.liveBytes + segment.live * 4 + 64
      guard grown <= limits.segmentSize / 100 * housekeeping.fill else { break }
      bytes = grown
      chosen.append(segment)
    }
    let base = chosen.map(\.header.baseTime).min() ?? 0
    chosen.removeAll { $0.summary.lastTime > base + UInt64(UInt32.max) }
    // A copy that is half empty would soon be copied again.
    let isFull = bytes >= limits.segmentSize / 100 * 70
    guard chosen.count >= 2, isFull || isTight || dead > 2 * live else { return nil }
    spares.removeLast()
    let numbers = chosen.map { UInt32($0.number) }
    for number in numbers { segments[number]?.phase = .copying }
    housekeeping.copying = .reading(numbers)
    var header = SegmentHeader(number: nextSegment, salt: salt, store: store)
    nextSegment += 1
    header.isCold = true
    header.baseTime = base
    return CopyPlan(
      sources: chosen,
      indexes: index.open.filter { numbers.contains($0.key) }.mapValues(\.segmentIndex),
      pieces: index.live(in: Set(numbers)).map { CopyPlan.Piece(subject: $0.subject, run: $0.run) },
      spare: spare,
      header: header,
      file: Segment.fileName(header.number)
    )
  }

  // MARK: Outcomes

  mutating func madeSpare(_ name: String) { spares.append(name) }

  /// The disk had no room for another file.
  mutating func foundFull(until time: UInt64) { housekeeping.fullUntil = time }

  mutating func wroteFooter(_ number: UInt64, isWritten: Bool) {
    segments[UInt32(number)]?.readers -= 1
    segments[UInt32(number)]?.hasFooter = isWritten
    segments[UInt32(number)]?.isFooterless = !isWritten
    if isWritten { index.close(UInt32(number)) }
  }

  mutating func recycled(_ number: UInt64, to spare: String?) {
    segments[UInt32(number)] = nil
    if let spare { spares.append(spare) }
    housekeeping.fullUntil = 0
  }

  mutating func copied(_ copy: CopiedSegment) { housekeeping.copying = .copied(copy) }

  /// The sources did not fit; `spare` is a spare file again.
  mutating func copyOverflowed(to spare: String) {
    if case .reading(let numbers) = housekeeping.copying {
      for number in numbers { segments[number]?.phase = .sealed }
    }
    housekeeping.copying = .none
    housekeeping.fill = max(30, housekeeping.fill - 20)
    spares.append(spare)
  }

  mutating func announced() {
    if case .copied(let copy) = housekeeping.copying { housekeeping.copying = .announced(copy) }
  }

  /// Puts a copy in the place of its sources: the records that say so are on the disk.
  mutating func replace(_ from: Set<UInt32>, by number: UInt32) {
    let copy: CopiedSegment
    switch housekeeping.copying {
    case .copied(let complete), .announced(let complete): copy = complete
    case .none, .reading: return
    }
    guard copy.segment.number == number else { return }
    housekeeping.copying = .none
    housekeeping.fill = 90
    segments[number] = copy.segment
    segments[number]?.live = index.replace(from, by: number, copy.runs)
    for source in from {
      segments[source]?.phase = .sealed
      segments[source]?.live = 0
    }
  }
}
