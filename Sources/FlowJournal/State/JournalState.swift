/// What a journal is: its segments, what is in them and where, and what is to be done next.
///
/// The transitions call nobody. They return what the commit, read and housekeeping threads do, and
/// learn the outcome by another transition.
package struct JournalState: Sendable {
  let limits: JournalLimits
  let store: StoreID
  package internal(set) var segments: [UInt32: Segment] = [:]
  /// The segment to which batches are written; 0 before the first one is activated.
  var head: UInt32 = 0
  /// The end of the journal.
  var last = SegmentHeader.Predecessor()
  /// The time of the last batch, in milliseconds since 1970.
  var time: UInt64 = 0
  var nextSegment: UInt64 = 1
  /// The names of the files that are ready to become segments.
  var spares: [String] = []
  var nextSpare = 1
  package internal(set) var index = ValueIndex()
  package internal(set) var catalog = Catalog()
  var checkpointing: Checkpointing
  var housekeeping = Housekeeping()
  package internal(set) var failure: JournalError?
  /// Whether the next segment is begun by a recovery.
  var isRecovering = true

  init(_ limits: JournalLimits, _ store: StoreID, checkpoint: SegmentHeader.Place = .init()) {
    self.limits = limits
    self.store = store
    checkpointing = Checkpointing(newest: checkpoint)
  }

  // MARK: Committing

  /// Where a batch is written.
  package struct Site: Equatable, Sendable {
    package var header: SegmentHeader
    package var file: String
    package var offset: Int
    var chain: UInt32
    var time: UInt64
  }

  package enum Placement: Equatable, Sendable {
    case here(Site)
    /// The spare file becomes a segment; its header is written with the batch.
    case activate(Site, spare: String)
    /// There is no spare file; housekeeping must make one.
    case wait
  }

  /// Decides where a batch goes, which is not sealed yet.
  ///
  /// `now` is in milliseconds since 1970; `salt` is random, for the case that a segment begins.
  mutating func place(_ batch: Batch, at now: UInt64, salt: UInt64) -> Placement {
    let time = max(time, now)
    if let current = segments[head], current.phase == .head,
      fits(batch, behind: current.end), time - current.header.baseTime <= UInt64(UInt32.max)
    {
      return .here(
        Site(
          header: current.header,
          file: current.file,
          offset: current.end,
          chain: last.checksum,
          time: time
        )
      )
    }
    guard !spares.isEmpty else { return .wait }
    let spare = spares.removeFirst()
    let header = activate(at: time, salt: salt)
    return .activate(
      Site(
        header: header,
        file: Segment.fileName(header.number),
        offset: SegmentHeader.size,
        chain: last.checksum,
        time: time
      ),
      spare: spare
    )
  }

  private func fits(_ batch: Batch, behind end: Int) -> Bool {
    let open = index.open[head]
    let footer = Footer.size(
      runs: (open?.runCount ?? 0) + batch.values.count,
      values: (open?.valueCount ?? 0) + batch.values.count
    )
    return end + batch.bytes.count + footer <= limits.segmentSize
  }

  private mutating func activate(at time: UInt64, salt: UInt64) -> SegmentHeader {
    segments[head]?.phase = .sealed
    var header = SegmentHeader(number: nextSegment, salt: salt, store: store)
    nextSegment += 1
    header.predecessor = last
    header.checkpoint = checkpointing.newest
    header.baseTime = time
    header.isBegunByRecovery = isRecovering
    isRecovering = false
    head = UInt32(header.number)
    segments[head] = Segment(
      header: header,
      file: Segment.fileName(header.number),
      phase: .head,
      end: SegmentHeader.size,
      lastBatch: last.lastBatch,
      chain: last.checksum
    )
    index.begin(head)
    checkpointing.noteActivation()
    return header
  }

  /// Notes that a batch is on the disk.
  ///
  /// - Returns: whether there is something new for the housekeeping thread.
  mutating func stored(_ batch: Batch, at site: Site) -> Bool {
    guard var current = segments[head] else { preconditionFailure("no segment is open") }
    current.end = site.offset + batch.bytes.count
    current.lastBatch = batch.number
    current.chain = batch.checksum
    if !batch.values.isEmpty {
      current.summary.add(batch.values.count, bytes: batch.valueBytes, time: batch.time)
    }
    segments[head] = current
    last = SegmentHeader.Predecessor(
      segment: UInt64(head),
      end: UInt64(current.end),
      lastBatch: batch.number,
      checksum: batch.checksum
    )
    time = max(time, batch.time)
    checkpointing.noteBytes(batch.bytes.count)
    if batch.flags.contains(.checkpoint) {
      let place = SegmentHeader.Place(segment: UInt64(head), offset: UInt64(site.offset))
      return checkpointing.stored(batch, at: place)
    }
    apply(batch.controls)
    for places in batch.values.groups { receive(places, of: batch, at: site.offset) }
    if case .copied = housekeeping.copying { return true }
    return site.offset == SegmentHeader.size || !batch.controls.isEmpty
  }

  private mutating func receive(
    _ places: ArraySlice<ValuePlace>,
    of batch: Batch,
    at offset: Int
  ) {
    guard let place = places.first, let last = places.last else { return }
    switch catalog.place(of: place.subject) {
    case .nowhere: break
    case .memory:
      for place in places { catalog.keep(place.subject, place.sequence, batch.payload(place)) }
    case .disk:
      catalog.advance(place.subject, past: last.sequence)
      index.add(places, base: UInt32(offset / 8), in: head)
      segments[head]?.live += places.count
    }
  }

  private mutating func apply(_ controls: [JournalRecord]) {
    var copies: [UInt32: Set<UInt32>] = [:]
    for record in controls {
      switch catalog.apply(record) {
      case .none: break
      case .trimmed(let subject, let first): release(index.trim(subject, before: first))
      case .deleted(let subject): release(index.remove(subject))
      case .lost(let subject, let range):
        release(index.remove(subject, range.lowerBound..<range.upperBound &+ 1))
      case .moved(let from, let to): copies[UInt32(to), default: []].insert(UInt32(from))
      }
    }
    for (copy, from) in copies { replace(from, by: copy) }
  }

  private mutating func release(_ counts: [UInt32: Int]) {
    for (segment, count) in counts { segments[segment]?.live -= count }
  }

  /// The bytes of values that may be appended before the next batch is stored.
  var roomForValues: Int {
    guard spares.count >= limits.reserve else { return 0 }
    let free = (spares.count - limits.reserve) * (limits.segmentSize - SegmentHeader.size)
    guard free == 0 else { return free / 3 }
    // A value that does not fit into the head would take a file of the reserve. Parts of a
    // checkpoint may come before it, and a small value takes as much again in the footer.
    let open = index.open[head]
    let footer = Footer.size(runs: open?.runCount ?? 0, values: open?.valueCount ?? 0)
    let end = segments[head]?.end ?? limits.segmentSize
    return max(0, limits.segmentSize - end - footer - 2 * limits.partBytes) / 3
  }

  // MARK: Checkpoints

  /// Whether a part of a checkpoint is to be written after the next batch.
  var wantsPart: Bool { failure == nil && checkpointing.wantsPart }

  /// Returns the next part of the checkpoint.
  mutating func part(number: UInt64) -> Batch {
    checkpointing.part(
      number: number,
      highestID: catalog.highestID,
      mostBytes: limits.partBytes
    ) { [catalog, segments] in
      let live = segments.values.filter { $0.live > 0 && $0.phase != .recycling }
      let moved = live.map { JournalRecord.moved(from: 0, to: $0.number) }
      return catalog.records + moved
    }
  }

  /// Ends everything: nothing more is written or synced.
  mutating func fail(_ error: JournalError) {
    if failure == nil { failure = error }
  }
}
