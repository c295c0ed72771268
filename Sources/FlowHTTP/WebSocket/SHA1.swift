/// The hash of the WebSocket handshake (RFC 3174), which is no protection there.
package enum SHA1 {
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var padded = bytes
    padded.append(0x80)
    padded += [UInt8](repeating: 0, count: (119 - bytes.count % 64) % 64)
    let bits = UInt64(bytes.count) * 8
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      padded.append(UInt8(truncatingIfNeeded: bits >> shift))
    }
    var sums: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for start in stride(from: 0, to: padded.count, by: 64) {
      add(padded[start..<start + 64], &sums)
    }
    return sums.flatMap { sum in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> UInt32($0)) }
    }
  }

  private static func add(_ block: ArraySlice<UInt8>, _ sums: inout [UInt32]) {
    var words: [UInt32] = []
    words.reserveCapacity(80)
    for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
      words.append(block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    for index in 16..<80 {
      let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
      words.append(rotated(mixed, 1))
    }
    var (a, b, c, d, e) = (sums[0], sums[1], sums[2], sums[3], sums[4])
    for (index, word) in words.enumerated() {
      let (mixed, constant) = round(index / 20, b, c, d)
      let next = rotated(a, 5) &+ mixed &+ e &+ constant &+ word
      (e, d, c, b, a) = (d, c, rotated(b, 30), a, next)
    }
    for (index, part) in [a, b, c, d, e].enumerated() { sums[index] &+= part }
  }

  private static func round(
    _ number: Int,
    _ b: UInt32,
    _ c: UInt32,
    _ d: UInt32
  ) -> (UInt32, UInt32) {
    switch number {
    case 0: (b & c | ~b & d, 0x5A82_7999)
    case 1: (b ^ c ^ d, 0x6ED9_EBA1)
    case 2: (b & c | b & d | c & d, 0x8F1B_BCDC)
    default: (b ^ c ^ d, 0xCA62_C1D6)
    }
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word << count | word >> (32 - count)
  }
}
