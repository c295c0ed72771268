/// Copies what is needed of some segments into a cold one.
///
/// The copy is complete on the disk before anything refers to it. A crash before leaves a file
/// that nothing names; a crash after leaves sources in which nothing is needed.
struct SegmentCopier {
  /// The bytes of a frame, about; each is synced, so that commits do not wait long.
  private static let frameBytes = 256 << 10

  private let files: any JournalFiles
  private let limits: JournalLimits
  private let plan: CopyPlan
  private let file: any JournalFile
  private var readers: [UInt32: SegmentReader] = [:]
  private var indexes: [UInt32: SegmentIndex] = [:]
  private var batch = Batch(number: 1)
  private var chain: UInt32 = 0
  private var offset = SegmentHeader.size
  private var places: [ValuePlace] = []
  private var summary = SegmentSummary()
  private var lost: [JournalRecord] = []

  init(
    _ files: any JournalFiles,
    _ limits: JournalLimits,
    _ plan: CopyPlan,
    _ target: any JournalFile
  ) throws(FileError) {
    self.files = files
    self.limits = limits
    self.plan = plan
    file = target
    batch.flags = .cold
    for source in plan.sources {
      let number = UInt32(source.number)
      let opened = try files.open(source.file)
      let reader = SegmentReader(file: opened, header: source.header, end: source.end)
      readers[number] = reader
      indexes[number] =
        plan.indexes[number] ?? reader.footer(segmentSize: limits.segmentSize)
        ?? reader.rebuiltIndex()
    }
  }

  /// Returns the copy, or nil if the values do not fit or `mayWrite` has become false.
  mutating func run(_ mayWrite: () -> Bool) throws(FileError) -> CopiedSegment? {
    for piece in plan.pieces {
      for (sequence, value) in values(piece) {
        guard let value else {
          lost.append(.lost(subject: piece.subject, first: sequence, last: sequence))
          continue
        }
        let delay = UInt32(clamping: UInt64(value.delay) + delay(of: piece.run.segment))
        batch.addCopy(subject: piece.subject, sequence: sequence, delay: delay, value.bytes)
        summary.add(
          1,
          bytes: RecordHeader.length(value.bytes.count),
          time: plan.header.baseTime + UInt64(delay)
        )
        if batch.bytes.count >= Self.frameBytes {
          guard fits, mayWrite() else { return nil }
          try flush()
          guard mayWrite() else { return nil }
          try file.sync()
        }
      }
    }
    guard fits, mayWrite() else { return nil }
    try flush()
    return try finish(mayWrite)
  }

  /// The milliseconds by which a source's base time is behind that of the copy.
  private func delay(of source: UInt32) -> UInt64 {
    (readers[source]?.header.baseTime ?? plan.header.baseTime) - plan.header.baseTime
  }

  private func values(
    _ piece: CopyPlan.Piece
  ) -> [(sequence: UInt64, value: SegmentReader.Value?)] {
    guard let reader = readers[piece.run.segment] else { return [] }
    var found: [(sequence: UInt64, value: SegmentReader.Value?)] = []
    var next = piece.run.first
    while next < piece.run.end {
      let count = Int(piece.run.end - next)
      let offsets =
        indexes[piece.run.segment]?.offsets(of: piece.subject, from: next, count: count) ?? []
      guard !offsets.isEmpty else {
        found.append((next, nil))
        next += 1
        continue
      }
      reader.read(piece.subject, from: next, at: offsets) { sequence, value in
        found.append((sequence, value))
        return true
      }
      next += UInt64(offsets.count)
    }
    return found
  }

  private var fits: Bool {
    let footer = Footer.size(
      runs: plan.pieces.count,
      values: places.count + batch.values.count
    )
    return offset + batch.bytes.count + footer <= limits.segmentSize
  }

  private mutating func flush() throws(FileError) {
    guard !batch.isEmpty else { return }
    let time = plan.header.baseTime
    batch.seal(time: time, baseTime: time, chain: chain, plan.header.salt)
    try file.write(batch.bytes, at: offset)
    places += batch.values.map { place in
      var place = place
      place.offset += UInt32(offset / 8)
      return place
    }
    chain = batch.checksum
    offset += batch.bytes.count
    batch = Batch(number: batch.number + 1, reusing: batch.bytes)
    batch.flags = .cold
  }

  /// Writes index and header, and gives the file its name.
  private func finish(_ mayWrite: () -> Bool) throws(FileError) -> CopiedSegment? {
    let index = SegmentIndex(places)
    let salt = plan.header.salt
    let frame = Footer.frame(
      index,
      lastBatch: batch.number - 1,
      chain: chain,
      time: summary.lastTime,
      salt
    )
    let trailer = Footer.Trailer(
      segment: plan.header.number,
      offset: offset,
      length: frame.count,
      runs: index.runs.count,
      summary: summary
    )
    try file.write(frame, at: offset)
    try file.write(Footer.trailer(trailer, salt), at: limits.segmentSize - Footer.trailerSize)
    try file.write(plan.header.bytes, at: 0)
    guard mayWrite() else { return nil }
    try file.sync()
    guard mayWrite() else { return nil }
    try files.rename(plan.spare, to: plan.file)
    try files.syncDirectory()
    var segment = Segment(
      header: plan.header,
      file: plan.file,
      phase: .sealed,
      end: offset,
      lastBatch: batch.number - 1,
      chain: chain
    )
    segment.summary = summary
    segment.hasFooter = true
    let sources = plan.sources.map(\.number)
    return CopiedSegment(segment: segment, runs: index.runs, lost: lost, sources: sources)
  }
}
