/// The end of a sealed segment: a frame with the segment's index, and a trailer.
///
/// The frame has two records of the kind `index`: the runs, and the offsets. The trailer is the
/// last 64 bytes of the segment and says where the frame is.
package enum Footer {
  static let trailerSize = 64
  private static let magic = Array("FLOWFOOT".utf8)

  /// A summary, with the place of the frame.
  package struct Trailer: Equatable, Sendable {
    package var segment: UInt64
    package var offset: Int
    package var length: Int
    package var runs: Int
    package var summary: SegmentSummary
  }

  /// Where the frame begins behind the last batch: not in a sector that has a part of it.
  static func place(behind end: Int) -> Int { (end + 511) / 512 * 512 }

  /// The most bytes that frame and trailer of an index take behind the last batch.
  static func size(runs: Int, values: Int) -> Int {
    511 + FrameHeader.size + RecordHeader.length(runs * SegmentIndex.runSize)
      + RecordHeader.length(values * 4) + trailerSize
  }

  /// Returns the bytes of the frame, to be written at `offset`.
  static func frame(
    _ index: SegmentIndex,
    lastBatch: UInt64,
    chain: UInt32,
    time: UInt64,
    _ salt: Salt
  ) -> [UInt8] {
    var runs: [UInt8] = []
    for run in index.runs {
      runs.append(number: run.subject)
      runs.append(number: run.count)
      runs.append(number: run.first)
      runs.append(number: UInt64(run.place))
    }
    var frame = [UInt8](repeating: 0, count: FrameHeader.size)
    frame.appendRecord(.index, id: 0, payload: runs)
    var offsets: [UInt8] = []
    offsets.reserveCapacity(index.offsets.count * 4)
    for offset in index.offsets { offsets.append(number: offset) }
    frame.appendRecord(.index, id: 1, payload: offsets)
    frame.sealRecords(from: FrameHeader.size, delay: nil, salt)
    var header = FrameHeader(number: lastBatch, time: time, chain: chain, flags: .footer)
    header.length = frame.count
    header.records = 2
    header.seal(&frame, salt)
    return frame
  }

  static func trailer(_ trailer: Trailer, _ salt: Salt) -> [UInt8] {
    var bytes = magic
    bytes.append(number: UInt32(0))
    bytes.append(number: UInt32(trailer.segment))
    bytes.append(number: UInt64(trailer.offset))
    bytes.append(number: UInt32(trailer.length))
    bytes.append(number: UInt32(trailer.runs))
    bytes.append(number: UInt64(trailer.summary.values))
    bytes.append(number: UInt64(trailer.summary.bytes))
    bytes.append(number: trailer.summary.firstTime)
    bytes.append(number: trailer.summary.lastTime)
    bytes.store(bytes.fields { $0.checksum(12..<trailerSize, salt) } ?? 0, at: 8)
    return bytes
  }

  /// Reads the last 64 bytes of a segment.
  static func readTrailer(_ fields: Fields, _ header: SegmentHeader, size: Int) -> Trailer? {
    guard fields.count == trailerSize, fields.starts(with: magic),
      fields.number(at: 8) == fields.checksum(12..<trailerSize, header.salt),
      let segment = fields.number(at: 12, as: UInt32.self), segment == header.number,
      let offset = fields.number(at: 16, as: UInt64.self).flatMap({ Int(exactly: $0) }),
      let length = fields.number(at: 24, as: UInt32.self),
      let runs = fields.number(at: 28, as: UInt32.self),
      let values = fields.number(at: 32, as: UInt64.self).flatMap({ Int(exactly: $0) }),
      let bytes = fields.number(at: 40, as: UInt64.self).flatMap({ Int(exactly: $0) }),
      let firstTime = fields.number(at: 48, as: UInt64.self),
      let lastTime = fields.number(at: 56, as: UInt64.self),
      offset >= SegmentHeader.size, offset <= size,
      Int(length) <= size - offset - trailerSize, values <= size, bytes <= size
    else { return nil }
    let summary = SegmentSummary(
      values: values,
      bytes: bytes,
      firstTime: firstTime,
      lastTime: lastTime
    )
    return Trailer(
      segment: UInt64(segment),
      offset: offset,
      length: Int(length),
      runs: Int(runs),
      summary: summary
    )
  }

  /// The bytes from the beginning of the frame in which the runs are.
  static func runsLength(_ trailer: Trailer) -> Int {
    FrameHeader.size + RecordHeader.length(trailer.runs * SegmentIndex.runSize)
  }

  /// Reads the runs without the offsets; `fields` begin with the frame.
  static func readRuns(_ fields: Fields, _ trailer: Trailer, _ salt: Salt) -> [SegmentIndex.Run]? {
    guard let header = RecordHeader.read(fields, at: FrameHeader.size, salt),
      header.kind == .index, header.count == trailer.runs * SegmentIndex.runSize
    else { return nil }
    return readRuns(fields, at: FrameHeader.size + RecordHeader.size, count: trailer.runs)
  }

  /// Reads the runs and their offsets; `fields` begin with the frame.
  static func readIndex(_ fields: Fields, _ trailer: Trailer, _ salt: Salt) -> SegmentIndex? {
    let place = runsLength(trailer)
    guard let runs = readRuns(fields, trailer, salt),
      let header = RecordHeader.read(fields, at: place, salt), header.kind == .index,
      let offsets = fields.part(at: place + RecordHeader.size, count: header.count)
    else { return nil }
    let numbers = (0..<header.count / 4).compactMap { offsets.number(at: $0 * 4, as: UInt32.self) }
    return SegmentIndex(runs: runs, offsets: numbers)
  }

  /// Nil if the runs are not in order: then they cannot be searched.
  private static func readRuns(_ fields: Fields, at start: Int, count: Int) -> [SegmentIndex.Run]? {
    var runs: [SegmentIndex.Run] = []
    runs.reserveCapacity(count)
    for place in stride(
      from: start,
      to: start + count * SegmentIndex.runSize,
      by: SegmentIndex.runSize
    ) {
      guard let subject = fields.number(at: place, as: UInt32.self),
        let count = fields.number(at: place + 4, as: UInt32.self), count > 0,
        let first = fields.number(at: place + 8, as: UInt64.self),
        first <= UInt64.max - UInt64(count),
        let start = fields.number(at: place + 16, as: UInt64.self)
          .flatMap({ UInt32(exactly: $0) })
      else { return nil }
      if let last = runs.last {
        let isBehind =
          last.subject < subject
          || last.subject == subject && last.first + UInt64(last.count) <= first
        guard isBehind else { return nil }
      }
      runs.append(SegmentIndex.Run(subject: subject, first: first, count: count, place: start))
    }
    return runs
  }
}

/// What a segment holds, all in all.
package struct SegmentSummary: Equatable, Sendable {
  package var values = 0
  /// The bytes of the records with values.
  package var bytes = 0
  package var firstTime: UInt64 = 0
  package var lastTime: UInt64 = 0

  mutating func add(_ values: Int, bytes: Int, time: UInt64) {
    if firstTime == 0 { firstTime = time }
    lastTime = max(lastTime, time)
    self.values += values
    self.bytes += bytes
  }
}
