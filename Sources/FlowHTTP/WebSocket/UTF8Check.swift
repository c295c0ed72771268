/// Whether bytes are UTF-8, asked as they come in: table 3-7 of the Unicode Standard.
package struct UTF8Check: Sendable {
  /// The number of bytes that the present character still needs.
  private var needed = 0
  /// The least next byte: the one behind the lead excludes surrogates, overlong forms and code
  /// points beyond U+10FFFF.
  private var least: UInt8 = 0x80
  private var most: UInt8 = 0xBF

  package init() {}

  /// Whether all of `bytes` is UTF-8.
  package static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var check = UTF8Check()
    return unsafe check.take(bytes) && check.isComplete
  }

  /// Whether no character is under way.
  var isComplete: Bool { needed == 0 }

  /// Checks the next bytes; false as soon as nothing that follows could make them UTF-8.
  ///
  /// The bytes are read during the call only: memory 8.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    while place < bytes.count {
      if needed == 0, bytes.count - place >= 8,
        unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) & Self.highBits == 0
      {
        place += 8
        continue
      }
      guard unsafe take(bytes[place]) else { return false }
      place += 1
    }
    return true
  }

  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  private mutating func take(_ byte: UInt8) -> Bool {
    if needed > 0 {
      guard least <= byte, byte <= most else { return false }
      needed -= 1
      (least, most) = (0x80, 0xBF)
      return true
    }
    switch byte {
    case ..<0x80: return true
    case 0xC2...0xDF: needed = 1
    case 0xE0: (needed, least) = (2, 0xA0)
    case 0xED: (needed, most) = (2, 0x9F)
    case 0xE1...0xEF: needed = 2
    case 0xF0: (needed, least) = (3, 0x90)
    case 0xF1...0xF3: needed = 3
    case 0xF4: (needed, most) = (3, 0x8F)
    default: return false
    }
    return true
  }
}
