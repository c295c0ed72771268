/// The first 40 bytes of a frame: records that are stored whole or not at all.
package struct FrameHeader: Equatable, Sendable {
  package static let size = 40

  package struct Flags: OptionSet, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// A part of a checkpoint.
    package static let checkpoint = Flags(rawValue: 1)
    /// The last part of a checkpoint.
    package static let complete = Flags(rawValue: 2)
    /// The index behind the last batch of a segment; it has no batch number of its own.
    package static let footer = Flags(rawValue: 4)
    /// Copies of values; the batch numbers of a cold segment begin with 1.
    package static let cold = Flags(rawValue: 8)
    /// The journal was closed after this batch.
    package static let cleanEnd = Flags(rawValue: 16)
    static let known = Flags(rawValue: 31)
  }

  /// The length of the frame in bytes, a multiple of 8.
  package var length: Int
  /// The number of the batch, one more than that of the batch before.
  package var number: UInt64
  /// Milliseconds since 1970, never less than in the batch before.
  package var time: UInt64
  /// The checksum of the batch before.
  package var chain: UInt32
  package var records: UInt32
  package var flags: Flags = []

  package init(number: UInt64, time: UInt64, chain: UInt32, flags: Flags = []) {
    length = Self.size
    self.number = number
    self.time = time
    self.chain = chain
    records = 0
    self.flags = flags
  }

  /// Writes the header over the first bytes of `frame` and returns the frame's checksum.
  @discardableResult
  func seal(_ frame: inout [UInt8], _ salt: Salt) -> UInt32 {
    frame.store(UInt32(length), at: 4)
    frame.store(number, at: 8)
    frame.store(time, at: 16)
    frame.store(chain, at: 24)
    frame.store(records, at: 28)
    frame.store(flags.rawValue, at: 32)
    let checksum = frame.fields { $0.checksum(4..<length, salt) } ?? 0
    frame.store(checksum, at: 0)
    return checksum
  }

  /// Reads the header at `offset` without its checksum: nothing in it may be believed yet.
  init?(unchecked fields: Fields, at offset: Int) {
    guard let length = fields.number(at: offset + 4, as: UInt32.self),
      length >= Self.size, length & 7 == 0, Int(length) <= fields.count - offset,
      let bits = fields.number(at: offset + 32, as: UInt64.self),
      Flags(rawValue: bits).isSubset(of: .known),
      let number = fields.number(at: offset + 8, as: UInt64.self),
      let time = fields.number(at: offset + 16, as: UInt64.self),
      let chain = fields.number(at: offset + 24, as: UInt32.self),
      let records = fields.number(at: offset + 28, as: UInt32.self)
    else { return nil }
    self.length = Int(length)
    self.number = number
    self.time = time
    self.chain = chain
    self.records = records
    flags = Flags(rawValue: bits)
  }

  /// Reads the frame at `offset`; nil unless all of it is there and its checksum is right.
  ///
  /// - Returns: the header, and the checksum with which the next frame continues the chain.
  package static func read(
    _ fields: Fields,
    at offset: Int,
    _ salt: Salt
  ) -> (header: FrameHeader, checksum: UInt32)? {
    guard let header = FrameHeader(unchecked: fields, at: offset),
      let stored = fields.number(at: offset, as: UInt32.self),
      fields.checksum(offset + 4..<offset + header.length, salt) == stored
    else { return nil }
    return (header, stored)
  }
}
