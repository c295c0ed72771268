/// Goes over JSON text as RFC 8259 has it, and finds where each part ends.
///
/// What it is made of has to outlive it.
@safe  // memory 8
struct JSONCursor {
  var next: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  /// Whether all there was in strings is ASCII.
  private(set) var isASCII = true
  /// Whether there were blanks.
  var isSpaced = false
  /// How many arrays and objects stood one inside another at most.
  var height: UInt32 = 0
  /// The bytes that what was made of it takes in memory.
  var memory = 0

  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return nil }
    unsafe next = unsafe start
    unsafe end = unsafe start + bytes.count
  }

  init(from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) {
    unsafe next = unsafe start
    unsafe self.end = unsafe end
  }

  /// The next byte; 0, which no JSON text has, behind the last.
  var unit: UInt8 {
    @inline(__always) get { unsafe next < end ? next.pointee : 0 }
  }

  @inline(__always)
  mutating func advance() { unsafe next += 1 }

  /// Reads `unit` if it is next.
  @inline(__always)
  mutating func read(_ unit: Unicode.Scalar) -> Bool {
    guard self.unit == UInt8(truncatingIfNeeded: unit.value) else { return false }
    unsafe next += 1
    return true
  }

  @inline(__always)
  mutating func skipBlanks() {
    while unsafe next < end, unsafe next.pointee <= 0x20 {
      guard unsafe isBlank(next.pointee) else { return }
      isSpaced = true
      unsafe next += 1
    }
  }

  private func isBlank(_ unit: UInt8) -> Bool {
    unit == 0x20 || unit == 0x0A || unit == 0x0D || unit == 0x09
  }

  mutating func read(word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard unsafe end - next >= length else { return false }
    for index in 0..<length where unsafe next[index] != word.utf8Start[index] { return false }
    unsafe next += length
    return true
  }

  /// Whether nothing is left, and what there was is UTF-8 from `start` on.
  func isComplete(from start: UnsafePointer<UInt8>) -> Bool {
    guard unsafe next == end else { return false }
    guard !isASCII else { return true }
    do {
      let text = unsafe UnsafeBufferPointer(start: start, count: end - start)
      _ = unsafe try UTF8Span(validating: text.span)
      return true
    } catch {
      return false
    }
  }
}

// MARK: - Strings

extension JSONCursor {
  /// What stands between the quotes.
  @safe
  struct Text {
    let start: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    var isPlain = true
  }

  /// Takes a string whose quote is next.
  @inline(__always)
  mutating func string() -> Text? {
    unsafe next += 1
    let start = unsafe next
    while true {
      skipPlain()
      guard unsafe next < end else { return nil }
      let unit = unsafe next.pointee
      unsafe next += 1
      if unit == UInt8(ascii: "\"") { return unsafe Text(start: start, end: next - 1) }
      guard unit == UInt8(ascii: "\\") else { return nil }
      return unsafe restOfString(from: start)
    }
  }

  /// Goes on behind a backslash.
  private mutating func restOfString(from start: UnsafePointer<UInt8>) -> Text? {
    while escape() {
      skipPlain()
      guard unsafe next < end else { return nil }
      let unit = unsafe next.pointee
      unsafe next += 1
      if unit == UInt8(ascii: "\"") {
        return unsafe Text(start: start, end: next - 1, isPlain: false)
      }
      guard unit == UInt8(ascii: "\\") else { return nil }
    }
    return nil
  }

  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// The high bits of those bytes of eight that are a quote, a backslash or a control character.
  ///
  /// The lowest bit found is right: a borrow can spoil only those above it.
  @inline(__always)
  static func stops(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* 0x22)
    let slashes = word ^ (ones &* 0x5C)
    return
      ((quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes
      | (word &- ones &* 0x20) & ~word) & highs
  }

  /// Stops at a quote, a backslash, a control character or the end.
  @inline(__always)
  private mutating func skipPlain() {
    let highs = Self.highs
    while unsafe end - next >= 8 {
      let word = unsafe UnsafeRawPointer(next).loadUnaligned(as: UInt64.self)
      let stops = Self.stops(in: word)
      if stops != 0 {
        let length = stops.trailingZeroBitCount >> 3
        if word & highs & (stops & (0 &- stops) &- 1) != 0 { isASCII = false }
        unsafe next += length
        return
      }
      if word & highs != 0 { isASCII = false }
      unsafe next += 8
    }
    while unsafe next < end {
      let unit = unsafe next.pointee
      if unit == 0x22 || unit == 0x5C || unit < 0x20 { return }
      if unit >= 0x80 { isASCII = false }
      unsafe next += 1
    }
  }

  private mutating func escape() -> Bool {
    let unit = unit
    unsafe next += 1
    switch Unicode.Scalar(unit) {
    case "\"", "\\", "/", "b", "f", "n", "r", "t": return true
    case "u":
      guard unsafe end - next >= 4 else { return false }
      for _ in 0..<4 {
        guard unsafe Self.hexDigit(next.pointee) != nil else { return false }
        unsafe next += 1
      }
      return true
    default: return false
    }
  }

  static func hexDigit(_ unit: UInt8) -> UInt16? {
    switch unit {
    case 0x30...0x39: UInt16(unit) - 0x30
    case 0x41...0x46: UInt16(unit) - 0x41 + 10
    case 0x61...0x66: UInt16(unit) - 0x61 + 10
    default: nil
    }
  }
}

// MARK: - Numbers

extension JSONCursor {
  /// What a number is made of.
  @safe
  struct Digits {
    let start: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    let isWhole: Bool
  }

  @inline(__always)
  private mutating func digits() -> Bool {
    let start = unsafe next
    while unsafe next < end, unsafe next.pointee &- 0x30 < 10 { unsafe next += 1 }
    return unsafe next > start
  }

  @inline(__always)
  mutating func number() -> Digits? {
    let start = unsafe next
    _ = read("-")
    let first = unsafe next
    guard digits(), unsafe first.pointee != 0x30 || next == first + 1 else { return nil }
    var isWhole = true
    if read(".") {
      isWhole = false
      guard digits() else { return nil }
    }
    if unit | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      unsafe next += 1
      if !read("+") { _ = read("-") }
      guard digits() else { return nil }
    }
    return unsafe Digits(start: start, end: next, isWhole: isWhole)
  }
}
