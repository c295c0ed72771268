/// Bytes with numbers at fixed places, least significant byte first.
///
/// A number or a part outside the bytes is nil, so that no reader can go beyond them. The bytes
/// are lent by the caller (memory 8).
@safe
package struct Fields {
  private let bytes: UnsafeRawBufferPointer
  package let count: Int

  package init(_ bytes: UnsafeRawBufferPointer) {
    unsafe self.bytes = bytes
    count = bytes.count
  }

  package func number<Number: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int,
    as type: Number.Type = Number.self
  ) -> Number? {
    guard offset >= 0, offset <= count - MemoryLayout<Number>.size else { return nil }
    return unsafe Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
  }

  /// The fields from `offset`, `count` bytes of them.
  package func part(at offset: Int, count: Int) -> Fields? {
    guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else {
      return nil
    }
    return unsafe Fields(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
  }

  /// The checksum of the bytes in `range`, which must be inside.
  func checksum(_ range: Range<Int>, _ salt: Salt) -> UInt32? {
    part(at: range.lowerBound, count: range.count).map { unsafe salt.checksum($0.bytes) }
  }

  /// The checksum without a salt, for what is read before a salt is known.
  func checksum(_ range: Range<Int>) -> UInt32? {
    part(at: range.lowerBound, count: range.count).map { unsafe Checksum.extend(0, $0.bytes) }
  }

  /// The first offset, of every eighth from `start`, at which there is a number of `range`.
  func firstNumber(in range: ClosedRange<UInt64>, at start: Int, before limit: Int) -> Int? {
    var offset = start
    let last = min(limit, count) - 8
    let (low, width) = (range.lowerBound, range.upperBound - range.lowerBound)
    while offset <= last {
      let found = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if UInt64(littleEndian: found) &- low <= width { return offset }
      offset += 8
    }
    return nil
  }

  /// A copy of all bytes.
  package var array: [UInt8] { unsafe Array(bytes) }

  func starts(with expected: [UInt8]) -> Bool {
    unsafe bytes.starts(with: expected)
  }

  package var isZero: Bool { unsafe bytes.allSatisfy { $0 == 0 } }
}

extension [UInt8] {
  /// Lends the bytes as fields to `body`.
  package func fields<Result>(_ body: (Fields) throws -> Result) rethrows -> Result {
    unsafe try withUnsafeBytes { bytes in unsafe try body(Fields(bytes)) }
  }

  mutating func append(number: some FixedWidthInteger) {
    unsafe Swift.withUnsafeBytes(of: number.littleEndian) { bytes in
      unsafe append(contentsOf: bytes)
    }
  }

  /// Writes `number` over the bytes at `offset`, which must be there.
  mutating func store<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number, at offset: Int)
  {
    precondition(offset >= 0 && offset <= count - MemoryLayout<Number>.size)
    unsafe withUnsafeMutableBytes { bytes in
      unsafe bytes.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
    }
  }

  /// Appends zeros up to the next multiple of 8.
  mutating func pad() {
    while count & 7 != 0 { append(0) }
  }
}

/// Returns the next multiple of 8.
func aligned(_ count: Int) -> Int { (count + 7) & ~7 }
