/// The first 4,096 bytes of a segment.
package struct SegmentHeader: Equatable, Sendable {
  package static let size = 4096
  /// Where the fields stand a second time, so that one bad sector does not cost the segment.
  ///
  /// Each time they lie within one sector, which a disk writes whole or not at all.
  package static let copyOffset = 2048
  static let version: UInt32 = 1
  private static let magic = Array("FLOWSEG1".utf8)
  private static let fieldsEnd = 128

  /// The end of the segment before this one, when this one began.
  package struct Predecessor: Equatable, Sendable {
    /// 0 if this is the first segment of the journal.
    package var segment: UInt64 = 0
    /// The offset behind its last batch.
    package var end: UInt64 = 0
    package var lastBatch: UInt64 = 0
    package var checksum: UInt32 = 0
  }

  /// Where a checkpoint begins.
  package struct Place: Equatable, Sendable {
    /// 0 if the journal has no checkpoint.
    package var segment: UInt64 = 0
    package var offset: UInt64 = 0
  }

  package var number: UInt64
  package var salt: Salt
  package var store: StoreID
  package var predecessor = Predecessor()
  /// Whether recovery began the segment.
  package var isBegunByRecovery = false
  /// Whether the segment holds copies of values.
  package var isCold = false
  /// The newest complete checkpoint when the segment began.
  package var checkpoint = Place()
  /// The time from which records count, in milliseconds since 1970.
  package var baseTime: UInt64 = 0

  package init(number: UInt64, salt: UInt64, store: StoreID) {
    self.number = number
    self.salt = Salt(salt)
    self.store = store
  }

  package var bytes: [UInt8] {
    var bytes = Self.magic
    bytes.reserveCapacity(Self.size)
    bytes.append(number: UInt32(0))
    bytes.append(number: Self.version)
    bytes.append(number: number)
    bytes.append(number: salt.number)
    bytes.append(number: store.high)
    bytes.append(number: store.low)
    bytes.append(number: predecessor.segment)
    bytes.append(number: predecessor.end)
    bytes.append(number: predecessor.lastBatch)
    bytes.append(number: predecessor.checksum)
    bytes.append(number: UInt32(isBegunByRecovery ? 1 : 0) | (isCold ? 2 : 0))
    bytes.append(number: checkpoint.segment)
    bytes.append(number: checkpoint.offset)
    bytes.append(number: baseTime)
    bytes += [UInt8](repeating: 0, count: Self.fieldsEnd - bytes.count)
    bytes.store(bytes.fields { $0.checksum(12..<Self.fieldsEnd) } ?? 0, at: 8)
    let copy = bytes
    bytes += [UInt8](repeating: 0, count: Self.copyOffset - bytes.count) + copy
    return bytes + [UInt8](repeating: 0, count: Self.size - bytes.count)
  }

  /// Reads the beginning of a segment; nil if neither place has a header of this version.
  package init?(_ block: Fields) {
    let copy = block.part(at: Self.copyOffset, count: Self.fieldsEnd)
    guard let header = Self(fields: block) ?? copy.flatMap({ Self(fields: $0) }) else { return nil }
    self = header
  }

  private init?(fields: Fields) {
    guard fields.starts(with: Self.magic),
      let checksum = fields.checksum(12..<Self.fieldsEnd),
      fields.number(at: 8) == checksum,
      fields.number(at: 12) == Self.version,
      let number = fields.number(at: 16, as: UInt64.self),
      let salt = fields.number(at: 24, as: UInt64.self),
      let high = fields.number(at: 32, as: UInt64.self),
      let low = fields.number(at: 40, as: UInt64.self),
      let flags = fields.number(at: 76, as: UInt32.self), flags < 4,
      number > 0, number <= UInt64(UInt32.max),
      let lastBatch = fields.number(at: 64, as: UInt64.self), lastBatch < 1 << 62
    else { return nil }
    func field(_ offset: Int) -> UInt64 { fields.number(at: offset) ?? 0 }
    self.init(number: number, salt: salt, store: StoreID(high: high, low: low))
    predecessor = Predecessor(
      segment: field(48),
      end: field(56),
      lastBatch: lastBatch,
      checksum: fields.number(at: 72) ?? 0
    )
    isBegunByRecovery = flags & 1 != 0
    isCold = flags & 2 != 0
    checkpoint = Place(segment: field(80), offset: field(88))
    baseTime = field(96)
  }
}

/// The 16 random bytes that tell one journal from another.
package struct StoreID: Equatable, Sendable {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
