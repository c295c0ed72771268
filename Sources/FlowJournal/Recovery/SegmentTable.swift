/// The segments that recovery found, from which the index is made.
struct SegmentTable {
  private var segments: [UInt32: Segment] = [:]
  private var runs: [UInt32: [ValueIndex.Run]] = [:]
  private var open: [UInt32: OpenIndex] = [:]

  func contains(_ number: UInt64) -> Bool { segments[UInt32(number)] != nil }

  /// Adds a segment that was read whole.
  mutating func add(_ file: SegmentFiles.File, _ scan: SegmentScan, _ places: [ValuePlace]) {
    var segment = Segment(
      header: file.header,
      file: file.name,
      phase: .sealed,
      end: scan.end,
      lastBatch: scan.next - 1,
      chain: scan.chain
    )
    var index = OpenIndex()
    for group in places.groups { index.add(group) }
    for case .frame(let frame) in scan.items {
      segment.summary.add(0, bytes: frame.header.length, time: frame.header.time)
    }
    segment.summary.values = places.count
    // What is damaged stays as it is, for whoever examines it.
    let isDamaged = scan.items.contains { if case .hole = $0 { true } else { false } }
    segment.isFooterless = isDamaged || file.header.isCold
    let number = UInt32(file.header.number)
    segments[number] = segment
    open[number] = index
    index.eachRun { subject, first, count in
      let new = ValueIndex.Run(first: first, segment: number, count: UInt32(count))
      runs[subject, default: []].append(new)
    }
  }

  /// Adds a segment by its footer.
  mutating func add(
    _ file: SegmentFiles.File,
    _ trailer: Footer.Trailer,
    _ found: [SegmentIndex.Run]
  ) {
    let number = UInt32(file.header.number)
    var segment = Segment(
      header: file.header,
      file: file.name,
      phase: .sealed,
      end: trailer.offset,
      lastBatch: 0,
      chain: 0
    )
    segment.summary = trailer.summary
    segment.hasFooter = true
    segments[number] = segment
    for run in found {
      let new = ValueIndex.Run(first: run.first, segment: number, count: run.count)
      runs[run.subject, default: []].append(new)
    }
  }

  /// Makes the index of all values that are needed; returns those that are missing.
  func build(_ catalog: Catalog, into state: inout JournalState) -> [JournalRecord] {
    var kept: [UInt32: [ValueIndex.Run]] = [:]
    var live: [UInt32: Int] = [:]
    var missing: [JournalRecord] = []
    for (subject, known) in catalog.definitions.sorted(by: { $0.key < $1.key })
    where known.keeps == 0 {
      var place = known.first
      var list: [ValueIndex.Run] = []
      func pass(to end: UInt64) {
        guard place < end else { return }
        missing += Self.unknown(place..<end, known.lost).map {
          .lost(subject: subject, first: $0.lowerBound, last: $0.upperBound - 1)
        }
      }
      for run in (runs[subject] ?? []).sorted(by: { $0.first < $1.first })
      where run.end > place {
        let first = max(run.first, place)
        pass(to: first)
        let count = UInt32(run.end - first)
        // Values that are recorded as lost stay lost: a gap is counted once.
        for part in Self.unknown(first..<run.end, known.lost) {
          let size = UInt32(part.upperBound - part.lowerBound)
          list.append(ValueIndex.Run(first: part.lowerBound, segment: run.segment, count: size))
          live[run.segment, default: 0] += Int(size)
        }
        place = first + UInt64(count)
      }
      pass(to: known.next)
      if !list.isEmpty { kept[subject] = list }
    }
    for (number, segment) in segments {
      state.segments[number] = segment
      state.segments[number]?.live = live[number] ?? 0
    }
    state.index = ValueIndex(runs: kept, open: open)
    return missing
  }

  /// The parts of a range that are not in `lost`, which is in order.
  private static func unknown(
    _ range: Range<UInt64>,
    _ lost: [ClosedRange<UInt64>]
  ) -> [Range<UInt64>] {
    var place = range.lowerBound
    var parts: [Range<UInt64>] = []
    for hole in lost where hole.upperBound >= place && hole.lowerBound < range.upperBound {
      if place < hole.lowerBound { parts.append(place..<hole.lowerBound) }
      place = hole.upperBound + 1
    }
    if place < range.upperBound { parts.append(place..<range.upperBound) }
    return parts
  }
}
