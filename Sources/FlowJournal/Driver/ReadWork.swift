/// A part of what a subject has, in order.
package enum JournalItem: Equatable, Sendable {
  /// A value with the time of its batch, in milliseconds since 1970; 0 if it is not known.
  case value(sequence: UInt64, time: UInt64, [UInt8])
  /// Values that were trimmed or lost.
  case gap(ClosedRange<UInt64>)
  /// The rest cannot be read now, as for want of descriptors; it is not lost.
  case postponed(from: UInt64)
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

/// The work of the read thread; only that thread uses it.
final class ReadWork {
  private let core: JournalCore
  private var indexes = IndexCache()
  /// The file that was read last.
  private var file: (number: UInt64, any JournalFile)?

  init(_ core: JournalCore) { self.core = core }

  /// Reads what is asked for, as far as it is stored.
  func read(_ request: JournalReadRequest) -> [JournalItem] {
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
        let found = read(extent, mostBytes: most)
        if core.withState({ $0.endReading(extent.header.number) }) { core.wakeHousekeeping() }
        for item in found {
          switch item {
          case .value(let sequence, _, let payload):
            items.append(item)
            (next, values, bytes) = (sequence + 1, values + 1, bytes + payload.count)
          case .gap(let range):
            add(range, to: &items)
            next = range.upperBound + 1
          case .postponed:
            return items + [item]
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

  private func read(_ extent: JournalState.Extent, mostBytes: Int) -> [JournalItem] {
    let file: any JournalFile
    do throws(FileError) {
      file = try open(extent)
    } catch {
      // Only a file that is gone is lost.
      if error.isMissing { return lose(extent, extent.count) }
      core.notify(.noted(error.description))
      return [.postponed(from: extent.first)]
    }
    let reader = SegmentReader(file: file, header: extent.header, end: extent.end)
    var offsets = extent.offsets
    if offsets.isEmpty { offsets = index(extent, reader) }
    var items = values(extent, offsets, mostBytes, reader)
    if items.isEmpty {
      // The footer may be wrong, or the value is lost: the records themselves tell.
      core.notify(.noted("\(extent.file) is read whole for \(extent.subject), \(extent.first)"))
      let rebuilt = reader.rebuiltIndex()
      offsets = rebuilt.offsets(of: extent.subject, from: extent.first, count: extent.count)
      items = values(extent, offsets, mostBytes, reader)
      if !items.isEmpty {
        indexes.insert(rebuilt, of: extent.header.number, limit: core.limits.indexBytes)
      }
    }
    return items.isEmpty ? lose(extent, 1) : items
  }

  private func open(_ extent: JournalState.Extent) throws(FileError) -> any JournalFile {
    if let file, file.number == extent.header.number { return file.1 }
    let opened = try core.files.open(extent.file)
    file = (extent.header.number, opened)
    return opened
  }

  /// Returns where the records begin by the segment's footer.
  private func index(_ extent: JournalState.Extent, _ reader: SegmentReader) -> [Int] {
    let number = extent.header.number
    let known = indexes[number] ?? reader.footer(segmentSize: core.limits.segmentSize)
    guard let known else { return [] }
    indexes.insert(known, of: number, limit: core.limits.indexBytes)
    return known.offsets(of: extent.subject, from: extent.first, count: extent.count)
  }

  /// Reads values up to the first one that cannot be read.
  private func values(
    _ extent: JournalState.Extent,
    _ offsets: [Int],
    _ mostBytes: Int,
    _ reader: SegmentReader
  ) -> [JournalItem] {
    var items: [JournalItem] = []
    var bytes = 0
    reader.read(extent.subject, from: extent.first, at: offsets) { sequence, value in
      guard let value else { return false }
      let time = extent.header.baseTime + UInt64(value.delay)
      items.append(.value(sequence: sequence, time: time, value.bytes))
      bytes += value.bytes.count
      return bytes < mostBytes
    }
    return items
  }

  /// Records that values cannot be read; a record of it is stored, so that they count once.
  private func lose(_ extent: JournalState.Extent, _ count: Int) -> [JournalItem] {
    let (first, last) = (extent.first, extent.first + UInt64(count - 1))
    let record = JournalRecord.lost(subject: extent.subject, first: first, last: last)
    let isRecorded = core.withGathering { gathering in
      if case .success = gathering.append([record]) { true } else { false }
    }
    if isRecorded {
      core.wakeCommits()
      core.notify(.lost(subject: extent.subject, first...last))
    }
    return [.gap(first...last)]
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
