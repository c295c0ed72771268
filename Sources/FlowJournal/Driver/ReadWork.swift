/// A part of what a subject has, in order.
package enum JournalItem: Equatable, Sendable {
  /// A value with the time of its batch, in milliseconds since 1970; 0 if it is not known.
  case value(sequence: UInt64, time: UInt64, [UInt8])
  /// Values that were trimmed or lost.
  case gap(ClosedRange<UInt64>)
}

/// Values that somebody wants to read.
package struct JournalReadRequest: Sendable {
  package var subject: UInt32
  /// The first sequence.
  package var sequence: UInt64
  package var mostValues: Int
  /// The bytes after which no further value is read.
  package var mostBytes: Int

  package init(subject: UInt32, from sequence: UInt64, mostValues: Int, mostBytes: Int = 1 << 20) {
    self.subject = subject
    self.sequence = sequence
    self.mostValues = mostValues
    self.mostBytes = mostBytes
  }
}

/// The work of the read thread.
struct ReadWork {
  private let core: JournalCore
  private var indexes = IndexCache()
  /// The file that was read last.
  private var file: (number: UInt64, any JournalFile)?

  init(_ core: JournalCore) { self.core = core }

  /// Reads what is asked for, as far as it is stored.
  mutating func read(_ request: JournalReadRequest) -> [JournalItem] {
    var items: [JournalItem] = []
    var (next, values, bytes) = (request.sequence, 0, 0)
    while values < request.mostValues, bytes < request.mostBytes {
      let (from, rest) = (next, request.mostValues - values)
      switch core.withState({ $0.planRead(request.subject, from: from, count: rest) }) {
      case .nothing: return items
      case .gap(let range):
        add(range, to: &items)
        if range.upperBound == UInt64.max { return items }
        next = range.upperBound + 1
      case .kept(let kept):
        items += kept.map { .value(sequence: $0.sequence, time: 0, $0.bytes) }
        return items
      case .read(let extent):
        let most = request.mostBytes - bytes
        let found = read(extent, mostBytes: most, request)
        if core.withState({ $0.endReading(extent.header.number) }) { core.wakeHousekeeping() }
        for item in found {
          switch item {
          case .value(let sequence, _, let payload):
            items.append(item)
            (next, values, bytes) = (sequence + 1, values + 1, bytes + payload.count)
          case .gap(let range):
            add(range, to: &items)
            next = range.upperBound + 1
          }
        }
      }
    }
    return items
  }

  private func add(_ range: ClosedRange<UInt64>, to items: inout [JournalItem]) {
    if case .gap(let last)? = items.last, last.upperBound + 1 == range.lowerBound {
      items[items.count - 1] = .gap(last.lowerBound...range.upperBound)
    } else {
      items.append(.gap(range))
    }
  }

  private mutating func read(
    _ extent: JournalState.Extent,
    mostBytes: Int,
    _ request: JournalReadRequest
  ) -> [JournalItem] {
    guard let file = open(extent) else { return lose(extent) }
    let reader = SegmentReader(file: file, header: extent.header, end: extent.end)
    var items: [JournalItem] = []
    guard let offsets = offsets(extent, reader) else { return lose(extent) }
    var bytes = 0
    var failed: UInt64?
    reader.read(extent.subject, from: extent.first, at: offsets) { sequence, value in
      guard let value else {
        failed = sequence
        return false
      }
      let time = extent.header.baseTime + UInt64(value.delay)
      items.append(.value(sequence: sequence, time: time, value.bytes))
      bytes += value.bytes.count
      return bytes < mostBytes
    }
    if let failed, items.isEmpty { return retry(extent, failed, reader) }
    return items
  }

  private mutating func open(_ extent: JournalState.Extent) -> (any JournalFile)? {
    if let file, file.number == extent.header.number { return file.1 }
    guard let opened = try? core.files.open(extent.file) else { return nil }
    file = (extent.header.number, opened)
    return opened
  }

  /// Returns where the records begin, by the memory's index or the segment's footer.
  private mutating func offsets(
    _ extent: JournalState.Extent,
    _ reader: SegmentReader
  ) -> [Int]? {
    if let offsets = extent.offsets, !offsets.isEmpty { return offsets }
    let index: SegmentIndex
    if let known = indexes[extent.header.number] {
      index = known
    } else {
      if let footer = reader.footer(segmentSize: core.limits.segmentSize) {
        index = footer
      } else {
        core.notify(.noted("\(extent.file) has no index; it was read whole"))
        index = reader.rebuiltIndex()
      }
      indexes.insert(index, of: extent.header.number, limit: core.limits.indexBytes)
    }
    let offsets = index.offsets(of: extent.subject, from: extent.first, count: extent.count)
    guard let offsets, !offsets.isEmpty else {
      let rebuilt = reader.rebuiltIndex()
      indexes.insert(rebuilt, of: extent.header.number, limit: core.limits.indexBytes)
      return rebuilt.offsets(of: extent.subject, from: extent.first, count: extent.count)
    }
    return offsets
  }

  /// Reads one value again, by an index that is made from the records: the footer may be wrong.
  private mutating func retry(
    _ extent: JournalState.Extent,
    _ sequence: UInt64,
    _ reader: SegmentReader
  ) -> [JournalItem] {
    let index = reader.rebuiltIndex()
    guard let offsets = index.offsets(of: extent.subject, from: sequence, count: 1) else {
      return lose(extent, sequence...sequence)
    }
    var items: [JournalItem] = []
    reader.read(extent.subject, from: sequence, at: offsets) { sequence, value in
      guard let value else { return false }
      let time = extent.header.baseTime + UInt64(value.delay)
      items = [.value(sequence: sequence, time: time, value.bytes)]
      return false
    }
    guard items.isEmpty else {
      indexes.insert(index, of: extent.header.number, limit: core.limits.indexBytes)
      core.notify(.noted("\(extent.file) has a wrong index; it was read whole"))
      return items
    }
    return lose(extent, sequence...sequence)
  }

  /// Records that values cannot be read; a record of it is stored, so that they count once.
  private func lose(
    _ extent: JournalState.Extent,
    _ range: ClosedRange<UInt64>? = nil
  ) -> [JournalItem] {
    let range = range ?? extent.first...extent.first + UInt64(extent.count - 1)
    let (first, last) = (range.lowerBound, range.upperBound)
    let record = JournalRecord.lost(subject: extent.subject, first: first, last: last)
    let isRecorded = core.withGathering { gathering in
      if case .success = gathering.append([record]) { true } else { false }
    }
    if isRecorded { core.notify(.lost(subject: extent.subject, range)) }
    return [.gap(range)]
  }
}

/// The indexes of sealed segments that were used last.
struct IndexCache {
  private var entries: [(number: UInt64, index: SegmentIndex)] = []
  private var cost = 0

  subscript(_ number: UInt64) -> SegmentIndex? {
    mutating get {
      guard let place = entries.firstIndex(where: { $0.number == number }) else { return nil }
      let entry = entries.remove(at: place)
      entries.append(entry)
      return entry.index
    }
  }

  mutating func insert(_ index: SegmentIndex, of number: UInt64, limit: Int) {
    if let place = entries.firstIndex(where: { $0.number == number }) {
      cost -= entries.remove(at: place).index.cost
    }
    entries.append((number, index))
    cost += index.cost
    while cost > limit, entries.count > 1 { cost -= entries.removeFirst().index.cost }
  }
}
