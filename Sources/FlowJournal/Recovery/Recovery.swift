/// What recovery found, for the log.
package struct RecoveryReport: Equatable, Sendable {
  package var lastBatch: UInt64 = 0
  package var torn: SegmentScan.Torn?
  /// The values that were found to be lost now.
  package var lost: UInt64 = 0
  /// Whether the journal was closed properly.
  package var isClean = false
  /// What is wrong with the files, one thing each.
  package var notes: [String] = []
  /// What was lost and cannot be counted.
  package var uncounted: [String] = []
  /// Sealed segments whose index was missing or wrong, and was made again.
  package var reindexed: [String] = []
}

/// A journal as it was found.
package struct RecoveredJournal: Sendable {
  /// The state without spare files.
  package var state: JournalState
  package var report: RecoveryReport
  /// The losses that are to be stored.
  package var losses: [JournalRecord]
  /// Files that may become spare ones.
  package var reusable: [String]
}

/// Reads a journal; writes nothing, so that it may be cut at any point and run again.
package struct Recovery<Image: JournalImage> {
  private let image: Image
  private let store: StoreFile
  private let found: SegmentFiles
  private let main: [SegmentFiles.File]
  private var report = RecoveryReport()
  private var scans: [UInt64: SegmentScan] = [:]

  package init(_ image: Image, _ store: StoreFile) throws(JournalError) {
    self.image = image
    self.store = store
    found = try SegmentFiles(image, store)
    main = found.main
  }

  /// Reads everything that is needed to go on.
  ///
  /// Throws if something is lost that cannot be counted, unless that `isLossAccepted`.
  package mutating func run(
    _ limits: JournalLimits,
    isLossAccepted: Bool
  ) throws(JournalError) -> RecoveredJournal {
    report.notes = found.notes
    let start = findCheckpoint()
    var replay = Replay(checkpoint: start?.first)
    var segments = SegmentTable()
    replayBatches(from: start, into: &replay, &segments)
    if let name = found.unreadable { replay.noteLoss("\(name) has no header that can be read") }
    if let failure = image.failure { throw failure }
    if !replay.uncounted.isEmpty, !isLossAccepted {
      let losses = replay.uncounted.joined(separator: "; ")
      throw JournalError(.damaged, "lost, and cannot be counted: \(losses)")
    }
    report.uncounted = replay.uncounted
    report.notes += replay.damage.map { "damaged: \($0)" }
    addOlder(replay, &segments)
    // What cannot be read now is not lost.
    if let failure = image.failure { throw failure }
    return finish(limits, replay, start, segments)
  }

  // MARK: The newest checkpoint

  private struct Checkpoint {
    var first: UInt64
    var segment: UInt64
    var offset: Int
  }

  private struct Parts {
    var numbers: Set<UInt32> = []
    var last: UInt32?
    var begin: (segment: UInt64, offset: Int)?

    var isComplete: Bool {
      guard let last, begin != nil else { return false }
      return numbers.count == Int(last) + 1
    }
  }

  /// Scans backwards until a complete checkpoint is found.
  private mutating func findCheckpoint() -> Checkpoint? {
    var parts: [UInt64: Parts] = [:]
    for (place, file) in main.enumerated().reversed() {
      let number = file.header.number
      let next = place + 1 < main.count ? main[place + 1].header.predecessor : nil
      let scan = read(file).fields { fields in
        let scan = SegmentScan(fields, file.header, last: next?.segment == number ? next : nil)
        for case .frame(let frame) in scan.items where frame.header.flags.contains(.checkpoint) {
          let offset = frame.offset + FrameHeader.size
          guard let header = RecordHeader(unchecked: fields, at: offset),
            case .part(let part, let first, _)? = JournalRecord(fields, at: offset, header)
          else { continue }
          parts[first, default: Parts()].numbers.insert(part)
          if frame.header.flags.contains(.complete) { parts[first]?.last = part }
          if frame.header.number == first { parts[first]?.begin = (number, frame.offset) }
        }
        return scan
      }
      scans[number] = scan
      if let newest = parts.filter({ $0.value.isComplete }).max(by: { $0.key < $1.key }),
        let begin = newest.value.begin
      {
        return Checkpoint(first: newest.key, segment: begin.segment, offset: begin.offset)
      }
    }
    return nil
  }

  // MARK: Batches

  private mutating func replayBatches(
    from start: Checkpoint?,
    into replay: inout Replay,
    _ segments: inout SegmentTable
  ) {
    if start == nil, let oldest = main.first, oldest.header.predecessor.segment != 0 {
      replay.noteLoss("everything before batch \(oldest.header.predecessor.lastBatch + 1)")
    }
    var previous: UInt64 = 0
    for file in main where file.header.number >= start?.segment ?? 0 {
      let number = file.header.number
      guard let scan = scans[number] else { continue }
      if previous != 0, file.header.predecessor.segment != previous {
        replay.noteLoss("batches up to \(file.header.predecessor.lastBatch)")
        report.notes.append("segment \(file.header.predecessor.segment) is missing")
      }
      previous = number
      let bytes = read(file)
      for item in scan.items {
        replay.apply(Replay.Unit(item: item, bytes: bytes, salt: file.header.salt))
      }
      segments.add(file, scan, bytes.fields { scan.places($0) })
    }
    guard let newest = main.last, let scan = scans[newest.header.number] else { return }
    judgeEnd(newest, scan, &replay)
  }

  /// Decides whether the journal ends where its last segment does.
  private mutating func judgeEnd(
    _ newest: SegmentFiles.File,
    _ scan: SegmentScan,
    _ replay: inout Replay
  ) {
    report.torn = scan.torn
    report.lastBatch = scan.next - 1
    if case .frame(let frame)? = scan.items.last {
      report.isClean = frame.header.flags.contains(.cleanEnd)
    }
    if newest.size < store.segmentSize, !report.isClean {
      let loss = "what \(newest.name) had behind byte \(scan.end): it has \(newest.size) bytes"
      replay.noteLoss("\(loss), expected \(store.segmentSize)")
    }
    if let trailer = trailer(newest), trailer.offset == Footer.place(behind: scan.end) {
      replay.noteLoss("the batches from \(scan.next) on, which a missing segment had")
    }
    if report.isClean, report.torn != nil {
      report.notes.append("a batch behind a clean end")
    }
  }

  // MARK: Older segments

  /// Adds the segments that were not replayed, by their footers.
  private mutating func addOlder(_ replay: Replay, _ segments: inout SegmentTable) {
    // Damage may have taken a record that a segment was copied: then all are used.
    let isAll = !replay.damage.isEmpty || !replay.uncounted.isEmpty
    for (number, file) in found.files.sorted(by: { $0.key < $1.key })
    where !segments.contains(number) {
      let isCopied = replay.moved[number].map { found.files[$0] != nil } ?? false
      let isNamed =
        replay.named.contains(number) || replay.moved.values.contains(number)
        || replay.moved[number] != nil
      guard isAll || isNamed && !isCopied else { continue }
      if let trailer = trailer(file), let runs = runs(file, trailer) {
        segments.add(file, trailer, runs)
      } else {
        report.reindexed.append(file.name)
        let bytes = read(file)
        let next = main.first { $0.header.predecessor.segment == number }?.header.predecessor
        bytes.fields { fields in
          let scan = SegmentScan(fields, file.header, last: file.header.isCold ? nil : next)
          segments.add(file, scan, scan.places(fields))
        }
      }
    }
  }

  private mutating func read(_ file: SegmentFiles.File) -> [UInt8] {
    let (bytes, failed) = image.read(file.name, at: 0, count: store.segmentSize)
    for range in failed {
      let note = "\(file.name) cannot be read at \(range.lowerBound)"
      if !report.notes.contains(note) { report.notes.append(note) }
    }
    return bytes
  }

  private func trailer(_ file: SegmentFiles.File) -> Footer.Trailer? {
    let size = Footer.trailerSize
    return image.read(file.name, at: store.segmentSize - size, count: size).bytes.fields {
      Footer.readTrailer($0, file.header, size: store.segmentSize)
    }
  }

  private func runs(_ file: SegmentFiles.File, _ trailer: Footer.Trailer) -> [SegmentIndex.Run]? {
    let count = Footer.runsLength(trailer)
    return image.read(file.name, at: trailer.offset, count: count).bytes.fields {
      Footer.readRuns($0, trailer, file.header.salt)
    }
  }

  // MARK: The state

  private mutating func finish(
    _ limits: JournalLimits,
    _ replay: Replay,
    _ start: Checkpoint?,
    _ segments: SegmentTable
  ) -> RecoveredJournal {
    let place = start.map {
      SegmentHeader.Place(segment: $0.segment, offset: UInt64($0.offset))
    }
    let limits = limits.fitted(to: store.segmentSize)
    var state = JournalState(limits, store.id, checkpoint: place ?? .init())
    if let newest = main.last, let scan = scans[newest.header.number] {
      state.last = SegmentHeader.Predecessor(
        segment: newest.header.number,
        end: UInt64(scan.end),
        lastBatch: scan.next - 1,
        checksum: scan.chain
      )
    }
    state.time = replay.time
    state.nextSegment = found.highest + 1
    let spares = found.spares.compactMap { Segment.spareNumber(ofFile: $0) }
    state.nextSpare = (spares.max() ?? 0) + 1
    state.catalog = replay.catalog
    let lost = segments.build(replay.catalog, into: &state)
    report.lost = lost.reduce(0) { sum, record in
      guard case .lost(_, let first, let last) = record else { return sum }
      return sum + (last - first + 1)
    }
    if report.notes.isEmpty {
      let start = place?.segment ?? 0
      for (number, segment) in state.segments where segment.live == 0 && segment.number < start {
        state.segments[number] = nil
        state.index.close(number)
      }
    }
    let known = Set(state.segments.values.map(\.file))
    // Damage never removes anything: a file that is not understood stays as it is.
    let orphans = report.notes.isEmpty ? found.files.values.map(\.name) : []
    let unused = orphans.filter { !known.contains($0) }.sorted()
    return RecoveredJournal(
      state: state,
      report: report,
      losses: lost,
      reusable: found.spares + found.unbegun + unused
    )
  }
}
