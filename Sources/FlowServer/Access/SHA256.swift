/// A SHA-256 digest (FIPS 180-4).
///
/// The toolchain has none without Foundation. It runs once for each `AUTH` and need not be fast.
struct SHA256: Hashable, Sendable {
  private var words = SIMD8<UInt32>(
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19
  )

  init(of bytes: some Collection<UInt8>) {
    var message = Array(bytes)
    let length = UInt64(message.count) * 8
    message.append(0x80)
    let zeros = (120 - message.count % 64) % 64
    message += repeatElement(0, count: zeros)
    for place in 0..<8 { message.append(UInt8(truncatingIfNeeded: length >> (56 - 8 * place))) }
    for start in stride(from: 0, to: message.count, by: 64) { add(message[start..<start + 64]) }
  }

  /// Parses 64 hexadecimal digits.
  init?(hexadecimal text: some StringProtocol) {
    let digits = Array(text.utf8)
    guard digits.count == 64 else { return nil }
    for (place, digit) in digits.enumerated() {
      guard let value = Character(UnicodeScalar(digit)).hexDigitValue else { return nil }
      let word = place / 8
      if place % 8 == 0 { words[word] = 0 }
      words[word] = words[word] << 4 | UInt32(value)
    }
  }

  /// The digest as `sha256sum` prints it.
  var hexadecimal: String {
    words.indices.map { word in
      let digits = String(words[word], radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  /// Compares in constant time.
  func isSame(as other: SHA256) -> Bool {
    let differences = words ^ other.words
    return differences.indices.reduce(0) { $0 | differences[$1] } == 0
  }

  private mutating func add(_ block: ArraySlice<UInt8>) {
    var schedule: [UInt32] = []
    schedule.reserveCapacity(64)
    for place in stride(from: block.startIndex, to: block.endIndex, by: 4) {
      schedule.append(block[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    for place in 16..<64 {
      let early = schedule[place - 15]
      let late = schedule[place - 2]
      let first = early.turned(7) ^ early.turned(18) ^ early >> 3
      let second = late.turned(17) ^ late.turned(19) ^ late >> 10
      schedule.append(schedule[place - 16] &+ first &+ schedule[place - 7] &+ second)
    }
    var (a, b, c, d) = (words[0], words[1], words[2], words[3])
    var (e, f, g, h) = (words[4], words[5], words[6], words[7])
    for round in 0..<64 {
      let choice = e & f ^ ~e & g
      let sum = e.turned(6) ^ e.turned(11) ^ e.turned(25)
      let first = h &+ sum &+ choice &+ Self.constants[round] &+ schedule[round]
      let majority = a & b ^ a & c ^ b & c
      let second = (a.turned(2) ^ a.turned(13) ^ a.turned(22)) &+ majority
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ second)
    }
    words &+= SIMD8(a, b, c, d, e, f, g, h)
  }

  /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}

extension UInt32 {
  /// Rotates right.
  fileprivate func turned(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}
