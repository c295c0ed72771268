/// The contents of the file `store`: what was decided when the journal was made.
package struct StoreFile: Equatable, Sendable {
  static let size = 64
  private static let magic = Array("FLOWSTO1".utf8)

  package var id: StoreID
  /// The size of each segment in bytes.
  package var segmentSize: Int

  package init(id: StoreID, segmentSize: Int) {
    self.id = id
    self.segmentSize = segmentSize
  }

  package var bytes: [UInt8] {
    var bytes = Self.magic
    bytes.append(number: UInt32(0))
    bytes.append(number: SegmentHeader.version)
    bytes.append(number: id.high)
    bytes.append(number: id.low)
    bytes.append(number: UInt64(segmentSize))
    bytes += [UInt8](repeating: 0, count: Self.size - bytes.count)
    bytes.store(bytes.fields { $0.checksum(12..<Self.size) } ?? 0, at: 8)
    return bytes
  }

  package init?(_ fields: Fields) {
    guard fields.count == Self.size, fields.starts(with: Self.magic),
      fields.number(at: 8) == fields.checksum(12..<Self.size),
      fields.number(at: 12) == SegmentHeader.version,
      let high = fields.number(at: 16, as: UInt64.self),
      let low = fields.number(at: 24, as: UInt64.self),
      let size = fields.number(at: 32, as: UInt64.self),
      let segmentSize = Int(exactly: size), SegmentSize.isValid(segmentSize)
    else { return nil }
    self.init(id: StoreID(high: high, low: low), segmentSize: segmentSize)
  }
}

package enum SegmentSize {
  /// Whether segments may have that many bytes: whole blocks, and offsets of 8 bytes in 32 bits.
  package static func isValid(_ size: Int) -> Bool {
    size >= 4 * SegmentHeader.size && size % SegmentHeader.size == 0 && size <= 8 << 30
  }
}
