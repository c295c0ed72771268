/// The frames of a segment in their order, and the holes between them.
///
/// A frame is believed if its checksum, its number and the checksum of the batch before are right.
package struct SegmentScan: Sendable {
  package struct Frame: Equatable, Sendable {
    package var offset: Int
    package var header: FrameHeader
    package var checksum: UInt32
  }

  /// Bytes in which batches were that cannot be read.
  package struct Hole: Equatable, Sendable {
    package var range: Range<Int>
    /// The numbers of the batches.
    package var batches: ClosedRange<UInt64>
  }

  package enum Item: Equatable, Sendable {
    case frame(Frame)
    case hole(Hole)
  }

  /// A last batch of which only a part is there.
  package struct Torn: Equatable, Sendable {
    package var batch: UInt64
    package var offset: Int
    /// The records that are there.
    package var records: Int
  }

  package private(set) var items: [Item] = []
  /// The offset behind the last frame or hole.
  package private(set) var end = SegmentHeader.size
  /// The number of the next batch, and the checksum of the one before.
  package private(set) var next: UInt64
  package private(set) var chain: UInt32
  package private(set) var torn: Torn?
  private let salt: Salt
  private let isCold: Bool

  /// Scans the bytes of a whole segment.
  ///
  /// `last` is its end as the next segment has it; nil if this is the newest.
  package init(_ fields: Fields, _ header: SegmentHeader, last: SegmentHeader.Predecessor?) {
    salt = header.salt
    isCold = header.isCold
    next = isCold ? 1 : header.predecessor.lastBatch + 1
    chain = isCold ? 0 : header.predecessor.checksum
    let limit = min(last.map { Int(clamping: $0.end) } ?? fields.count, fields.count)
    while end < limit {
      if let (frame, checksum) = FrameHeader.read(fields, at: end, salt), isNext(frame) {
        accept(Frame(offset: end, header: frame, checksum: checksum))
      } else if let found = findLater(fields, from: end + 8, to: limit) {
        items.append(
          .hole(Hole(range: end..<found.offset, batches: next...found.header.number - 1))
        )
        accept(found)
      } else {
        break
      }
    }
    if let last { close(last, limit) } else { torn = findTorn(fields) }
  }

  private func isNext(_ frame: FrameHeader) -> Bool {
    frame.number == next && frame.chain == chain && isOrdinary(frame)
  }

  private func isOrdinary(_ frame: FrameHeader) -> Bool {
    !frame.flags.contains(.footer) && frame.flags.contains(.cold) == isCold
  }

  private mutating func accept(_ frame: Frame) {
    items.append(.frame(frame))
    end = frame.offset + frame.header.length
    next = frame.header.number + 1
    chain = frame.checksum
  }

  /// Compares with what the next segment knows; the rest is a hole.
  private mutating func close(_ last: SegmentHeader.Predecessor, _ limit: Int) {
    if next <= last.lastBatch {
      items.append(.hole(Hole(range: end..<max(end, limit), batches: next...last.lastBatch)))
      next = last.lastBatch + 1
    }
    end = limit
    chain = last.checksum
  }

  /// Looks for a frame behind a place where the next one cannot be read.
  ///
  /// If there is one, the batch before it had been stored: only one batch is written at a time.
  private func findLater(_ fields: Fields, from start: Int, to limit: Int) -> Frame? {
    let most = next + UInt64(max(0, limit - start) / FrameHeader.size) + 1
    var offset = start
    while let place = fields.firstNumber(in: next + 1...most, at: offset + 8, before: limit) {
      offset = place - 8
      if let (frame, checksum) = FrameHeader.read(fields, at: offset, salt), isOrdinary(frame) {
        return Frame(offset: offset, header: frame, checksum: checksum)
      }
      offset += 8
    }
    return nil
  }

  private func findTorn(_ fields: Fields) -> Torn? {
    let header = FrameHeader(unchecked: fields, at: end)
    var offset = end + FrameHeader.size
    var records = 0
    while let record = RecordHeader.read(fields, at: offset, salt) {
      records += 1
      offset += record.length
    }
    let isBegun = header?.number == next && header?.chain == chain
    return isBegun || records > 0 ? Torn(batch: next, offset: end, records: records) : nil
  }
}

extension SegmentScan {
  /// Finds the records that can be read in a hole, at any multiple of 8.
  static func records(in hole: Range<Int>, _ fields: Fields, _ salt: Salt) -> [Int] {
    var found: [Int] = []
    var offset = hole.lowerBound
    while offset + RecordHeader.size <= hole.upperBound {
      if let record = RecordHeader.read(fields, at: offset, salt),
        offset + record.length <= hole.upperBound
      {
        found.append(offset)
        offset += record.length
      } else {
        offset += 8
      }
    }
    return found
  }

  /// The values of the segment that can be read.
  func places(_ fields: Fields) -> [ValuePlace] {
    var places: [ValuePlace] = []
    func add(_ offset: Int) -> Int? {
      guard let record = RecordHeader(unchecked: fields, at: offset) else { return nil }
      if record.kind == .value {
        places.append(ValuePlace(subject: record.id, sequence: record.sequence, offset: offset))
      }
      return record.length
    }
    for item in items {
      switch item {
      case .frame(let frame):
        var offset = frame.offset + FrameHeader.size
        while offset < frame.offset + frame.header.length, let length = add(offset) {
          offset += length
        }
      case .hole(let hole):
        for offset in Self.records(in: hole.range, fields, salt) { _ = add(offset) }
      }
    }
    return places
  }
}
