/// Numbers of 32 bits in 1 to 5 bytes, 7 bits each; all but the last byte have the high bit set.
enum Varint {
  static func size(_ number: UInt32) -> Int {
    max(1, (UInt32.bitWidth - number.leadingZeroBitCount + 6) / 7)
  }

  static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Reads the number at `place` and moves the place behind it; nil if it does not end in time.
  static func read(_ bytes: ArraySlice<UInt8>, at place: inout Int) -> UInt32? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 35, by: 7) {
      guard bytes.indices.contains(place) else { return nil }
      let byte = bytes[place]
      place += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return UInt32(exactly: number) }
    }
    return nil
  }
}
