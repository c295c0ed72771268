@testable import FlowJournal
import Testing

@Suite("Journal bytes")
struct ByteTests {
  static let salt = Salt(0x1234_5678_9ABC_DEF0)

  static let records: [JournalRecord] = [
    .define(id: 1, first: 7, next: 7, kept: 0, line: Array("SUBJECT orders".utf8)),
    .consumer(id: 2, subject: 1, sequence: 6, name: Array("billing".utf8)),
    .value(subject: 1, sequence: 7, Array("a value".utf8)),
    .value(subject: 1, sequence: 8, []),
    .position(consumer: 2, sequence: 7),
    .trim(subject: 1, first: 8),
    .runPosition(run: 3, subject: 1, sequence: 8),
    .kept(subject: 4, sequence: 1, [1, 2, 3, 4, 5, 6, 7, 8]),
    .moved(from: 5, to: 6),
    .end(subject: 1, bytes: [1]),
    .lost(subject: 1, first: 3, last: 5),
    .part(number: 0, first: 12, highestID: 4),
    .pad(count: 16),
    .delete(id: 1),
  ]

  @Test("computes CRC32C with and without the instruction")
  func checksum() {
    let digits = Array("123456789".utf8)
    #expect(digits.withUnsafeBytes { Checksum.extend(0, $0) } == 0xE306_9283)
    let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 73) }
    for start in 0..<16 {
      for end in start..<bytes.count {
        bytes[start..<end].withUnsafeBytes { part in
          #expect(Checksum.extend(7, part) == Checksum.extendByTable(7, part))
        }
      }
    }
  }

  @Test("reads a frame and its records as they were written")
  func frame() throws {
    let frame = FrameBuilder.frame(Self.records, number: 9, time: 11, chain: 13, Self.salt)
    let read = try #require(frame.fields { FrameHeader.read($0, at: 0, Self.salt) })
    #expect(read.header.number == 9)
    #expect(read.header.time == 11)
    #expect(read.header.chain == 13)
    #expect(read.header.length == frame.count)
    #expect(FrameBuilder.records(frame, Self.salt) == Self.records)
  }

  @Test("reads a frame at every split only when all of it is there")
  func splits() {
    let frame = FrameBuilder.frame(Self.records, number: 9, time: 11, chain: 13, Self.salt)
    for count in 0..<frame.count {
      let part = Array(frame[..<count])
      #expect(part.fields { FrameHeader.read($0, at: 0, Self.salt) } == nil)
    }
  }

  @Test("refuses a frame with any flipped bit")
  func flips() {
    var frame = FrameBuilder.frame(Self.records, number: 9, time: 11, chain: 13, Self.salt)
    for bit in 0..<frame.count * 8 {
      frame[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(frame.fields { FrameHeader.read($0, at: 0, Self.salt) } == nil)
      frame[bit / 8] ^= 1 << UInt8(bit % 8)
    }
    #expect(frame.fields { FrameHeader.read($0, at: 0, Salt(1)) } == nil)
  }

  @Test("refuses the one record that a flipped bit is in")
  func recordFlips() {
    var frame = FrameBuilder.frame(Self.records, number: 9, time: 11, chain: 13, Self.salt)
    var offset = FrameHeader.size
    for record in Self.records {
      let covered: Int =
        switch record {
        case .value(_, _, let bytes): RecordHeader.size + bytes.count
        case .define(_, _, _, _, let line): RecordHeader.size + 8 + line.count
        default: RecordHeader.size
        }
      for bit in offset * 8..<(offset + covered) * 8 {
        frame[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(frame.fields { RecordHeader.read($0, at: offset, Self.salt) } == nil)
        frame[bit / 8] ^= 1 << UInt8(bit % 8)
      }
      #expect(frame.fields { RecordHeader.read($0, at: offset, Self.salt) } != nil)
      offset += record.length
    }
  }

  @Test("refuses a segment header with any flipped bit, and a short one")
  func header() {
    var header = SegmentHeader(number: 3, salt: 4, store: StoreID(high: 5, low: 6))
    header.predecessor = .init(segment: 2, end: 4096, lastBatch: 8, checksum: 9)
    header.checkpoint = .init(segment: 1, offset: 4096)
    header.isCold = true
    header.baseTime = 77
    var bytes = header.bytes
    #expect(bytes.count == SegmentHeader.size)
    #expect(bytes.fields { SegmentHeader($0) } == header)
    for bit in 0..<128 * 8 {
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      // The copy is there.
      #expect(bytes.fields { SegmentHeader($0) } == header)
      #expect(Array(bytes[..<2048]).fields { SegmentHeader($0) } == nil)
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    }
    for count in 0..<128 { #expect(Array(bytes[..<count]).fields { SegmentHeader($0) } == nil) }
  }

  @Test("refuses a store file with any flipped bit")
  func store() {
    let store = StoreFile(id: StoreID(high: 1, low: 2), segmentSize: 64 << 20)
    var bytes = store.bytes
    #expect(bytes.fields { StoreFile($0) } == store)
    for bit in 0..<bytes.count * 8 {
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(bytes.fields { StoreFile($0) } == nil)
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    }
  }

  @Test("finds each value by the index of its segment")
  func index() {
    var places: [ValuePlace] = []
    for index in 0..<600 {
      let subject = UInt32(index % 7)
      let gap = index > 300 ? 5 : 0
      let offset = 4096 + index * (index % 3 == 0 ? 4000 : 40)
      places.append(
        ValuePlace(subject: subject, sequence: UInt64(index / 7 + gap + 1), offset: offset & ~7)
      )
    }
    places.sort { $0.offset < $1.offset }
    let index = SegmentIndex(places)
    #expect(index.runs.count >= 14)
    for place in places {
      let found = index.offsets(of: place.subject, from: place.sequence, count: 1)
      #expect(found == [Int(place.offset) * 8])
    }
    #expect(index.offsets(of: 8, from: 1, count: 1).isEmpty)
    #expect(index.offsets(of: 0, from: 0, count: 1).isEmpty)
  }
}

/// Makes and reads frames by themselves.
enum FrameBuilder {
  static func frame(
    _ records: [JournalRecord],
    number: UInt64,
    time: UInt64,
    chain: UInt32,
    _ salt: Salt
  ) -> [UInt8] {
    var batch = Batch(number: number)
    for record in records { batch.add(record) }
    batch.seal(time: time, baseTime: time, chain: chain, salt)
    return batch.bytes
  }

  static func records(_ frame: [UInt8], _ salt: Salt) -> [JournalRecord] {
    frame.fields { fields in
      var offset = FrameHeader.size
      var records: [JournalRecord] = []
      while let header = RecordHeader.read(fields, at: offset, salt),
        let record = JournalRecord(fields, at: offset, header)
      {
        records.append(record)
        offset += header.length
      }
      return records
    }
  }
}
