/// The first 24 bytes of a record; behind them stand its bytes, padded to a multiple of 8.
package struct RecordHeader: Equatable, Sendable {
  package static let size = 24
  /// The most bytes of a record.
  package static let mostBytes = 1 << 28 - 1

  package enum Kind: UInt32, Sendable, CaseIterable {
    case value = 1
    case position, trim, define, delete, consumer, runPosition, kept, moved, end, lost, pad
    /// The first record of each part of a checkpoint.
    case part
    /// In footers.
    case index
  }

  package var kind: Kind
  /// The number of bytes.
  package var count: Int
  /// A subject, a consumer or a run.
  package var id: UInt32
  /// The meaning depends on the kind; of a value, milliseconds since the segment's base time.
  package var extra: UInt32
  package var sequence: UInt64

  /// The size of the record with its padding.
  package var length: Int { Self.length(count) }

  package static func length(_ count: Int) -> Int { aligned(size + count) }

  /// Reads the header at `offset` without its checksum: nothing in it may be believed yet.
  init?(unchecked fields: Fields, at offset: Int) {
    guard let word = fields.number(at: offset + 4, as: UInt32.self),
      let kind = Kind(rawValue: word >> 28),
      let id = fields.number(at: offset + 8, as: UInt32.self),
      let extra = fields.number(at: offset + 12, as: UInt32.self),
      let sequence = fields.number(at: offset + 16, as: UInt64.self)
    else { return nil }
    count = Int(word & 0xFFF_FFFF)
    guard Self.length(count) <= fields.count - offset else { return nil }
    self.kind = kind
    self.id = id
    self.extra = extra
    self.sequence = sequence
  }

  /// Reads the header of the record at `offset`; nil unless all of the record is there and its
  /// checksum is right.
  package static func read(_ fields: Fields, at offset: Int, _ salt: Salt) -> RecordHeader? {
    guard let header = RecordHeader(unchecked: fields, at: offset),
      fields.number(at: offset)
        == fields.checksum(offset + 4..<offset + size + header.count, salt)
    else { return nil }
    return header
  }
}

extension [UInt8] {
  /// Appends a record; its checksum is missing until the frame is sealed.
  mutating func appendRecord(
    _ kind: RecordHeader.Kind,
    id: UInt32,
    extra: UInt32 = 0,
    sequence: UInt64 = 0,
    _ payload: UnsafeRawBufferPointer
  ) {
    precondition(payload.count <= RecordHeader.mostBytes)
    let words = (
      (UInt64(payload.count) | UInt64(kind.rawValue) << 28) << 32,
      UInt64(id) | UInt64(extra) << 32,
      sequence
    )
    let little = (words.0.littleEndian, words.1.littleEndian, words.2.littleEndian)
    unsafe Swift.withUnsafeBytes(of: little) { bytes in unsafe append(contentsOf: bytes) }
    unsafe append(contentsOf: payload)
    pad()
  }

  mutating func appendRecord(
    _ kind: RecordHeader.Kind,
    id: UInt32,
    extra: UInt32 = 0,
    sequence: UInt64 = 0,
    payload: [UInt8] = []
  ) {
    unsafe payload.withUnsafeBytes { bytes in
      unsafe appendRecord(kind, id: id, extra: extra, sequence: sequence, bytes)
    }
  }

  /// Gives the records from `start` on their checksums, and each value its time.
  ///
  /// The time of a value is `delay` milliseconds after the segment's base time; if nil, the record
  /// has its time already.
  mutating func sealRecords(from start: Int, delay: UInt32?, _ salt: Salt) {
    var offset = start
    while offset < count {
      guard let header = fields({ RecordHeader(unchecked: $0, at: offset) }) else {
        preconditionFailure("a frame has bytes at \(offset) that are no record")
      }
      if header.kind == .value, let delay { store(delay, at: offset + 12) }
      let end = offset + RecordHeader.size + header.count
      let checksum = fields { $0.checksum(offset + 4..<end, salt) } ?? 0
      store(checksum, at: offset)
      offset += header.length
    }
  }
}
