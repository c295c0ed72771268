/// The grammar of RFC 8259: it tells where what stands at a place ends, and `nil` if that is not JSON.
///
/// All that it goes by is the place, which stays in a register. What it is made of has to outlive it.
@safe  // memory 8
struct JSONGrammar {
  typealias Place = UnsafePointer<UInt8>

  /// Where the text ends.
  let end: Place

  /// Whether `unit` stands at a place.
  @inline(__always)
  func has(_ unit: Unicode.Scalar, at next: Place) -> Bool {
    unsafe next < end && next.pointee == UInt8(truncatingIfNeeded: unit.value)
  }

  /// The first place from `next` on that has no blank.
  @inline(__always)
  func blanks(_ next: Place) -> Place {
    guard unsafe next < end, unsafe next.pointee <= 0x20 else { return unsafe next }
    return unsafe moreBlanks(next)
  }

  @inline(never)
  private func moreBlanks(_ next: Place) -> Place {
    var next = unsafe next
    while unsafe next < end, unsafe Self.isBlank(next.pointee) { unsafe next += 1 }
    return unsafe next
  }

  private static func isBlank(_ unit: UInt8) -> Bool {
    unit == 0x20 || unit == 0x0A || unit == 0x0D || unit == 0x09
  }

  /// Whether what stands from `start` to the end is UTF-8.
  func isUTF8(from start: Place) -> Bool {
    guard unsafe !isASCII(from: start) else { return true }
    do {
      let text = unsafe UnsafeBufferPointer(start: start, count: end - start)
      _ = unsafe try UTF8Span(validating: text.span)
      return true
    } catch {
      return false
    }
  }

  private func isASCII(from start: Place) -> Bool {
    var next = unsafe start
    var units = SIMD16<UInt8>()
    while unsafe end - next >= 16 {
      units |= unsafe UnsafeRawPointer(next).loadUnaligned(as: SIMD16<UInt8>.self)
      unsafe next += 16
    }
    var unit = (0..<16).reduce(0) { $0 | units[$1] }
    while unsafe next < end {
      unit |= unsafe next.pointee
      unsafe next += 1
    }
    return unit < 0x80
  }
}

// MARK: - Values

extension JSONGrammar {
  /// Behind the value that stands inside `depth` others.
  @inline(__always)
  func value(_ next: Place, inside depth: UInt32) -> Place? {
    guard unsafe next < end else { return nil }
    let unit = unsafe next.pointee
    if unit == UInt8(ascii: "\"") {
      return unsafe string(next + 1).map { unsafe $0.end + 1 }
    }
    if unit &- 0x30 < 10 || unit == UInt8(ascii: "-") {
      return unsafe number(next).map { unsafe $0.end }
    }
    return unsafe other(next, inside: depth)
  }

  @inline(never)
  private func other(_ next: Place, inside depth: UInt32) -> Place? {
    switch unsafe next.pointee {
    case UInt8(ascii: "{"): unsafe object(next, inside: depth) { _, _ in }
    case UInt8(ascii: "["): unsafe array(next, inside: depth)
    case UInt8(ascii: "t"): unsafe word("true", at: next)
    case UInt8(ascii: "f"): unsafe word("false", at: next)
    case UInt8(ascii: "n"): unsafe word("null", at: next)
    default: nil
    }
  }

  func word(_ word: StaticString, at next: Place) -> Place? {
    let length = word.utf8CodeUnitCount
    guard unsafe end - next >= length else { return nil }
    for index in 0..<length where unsafe next[index] != word.utf8Start[index] { return nil }
    return unsafe next + length
  }

  private func array(_ next: Place, inside depth: UInt32) -> Place? {
    guard depth < UInt32(Extent.mostHeight) else { return nil }
    var next = unsafe blanks(next + 1)
    if unsafe has("]", at: next) { return unsafe next + 1 }
    while let behind = unsafe value(next, inside: depth + 1) {
      unsafe next = unsafe blanks(behind)
      guard unsafe has(",", at: next) else { return unsafe has("]", at: next) ? next + 1 : nil }
      unsafe next = unsafe blanks(next + 1)
    }
    return nil
  }

  /// Behind the object; `member` is given each key, and the place of its value.
  @inline(__always)
  func object(
    _ next: Place,
    inside depth: UInt32,
    member: (JSONCursor.Text, Place) -> Void
  ) -> Place? {
    guard depth < UInt32(Extent.mostHeight) else { return nil }
    var next = unsafe blanks(next + 1)
    if unsafe has("}", at: next) { return unsafe next + 1 }
    while unsafe has("\"", at: next) {
      guard let key = unsafe string(next + 1) else { return nil }
      unsafe next = unsafe blanks(key.end + 1)
      guard unsafe has(":", at: next) else { return nil }
      unsafe next = unsafe blanks(next + 1)
      unsafe member(key, next)
      guard let behind = unsafe value(next, inside: depth + 1) else { return nil }
      unsafe next = unsafe blanks(behind)
      guard unsafe has(",", at: next) else { return unsafe has("}", at: next) ? next + 1 : nil }
      unsafe next = unsafe blanks(next + 1)
    }
    return nil
  }
}

// MARK: - Strings

extension JSONGrammar {
  /// The string that begins behind its quote.
  @inline(__always)
  func string(_ start: Place) -> JSONCursor.Text? {
    let stop = unsafe plain(start)
    if unsafe has("\"", at: stop) { return unsafe JSONCursor.Text(start: start, end: stop) }
    guard let end = unsafe restOfString(stop) else { return nil }
    return unsafe JSONCursor.Text(start: start, end: end, isPlain: false)
  }

  /// The high bits of those bytes of eight that are a quote, a backslash or a control character.
  ///
  /// The lowest bit found is right: a borrow can spoil only those above it.
  @inline(__always)
  static func stops(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // With this bit turned round, a quote is below 33 as a control character is.
    let low = (word ^ ones &* 2) &- ones &* 33
    let slashes = (word ^ ones &* 0x5C) &- ones
    return (low | slashes) & ~word & ones << 7
  }

  /// The first place that has a quote, a backslash or a control character, or else the end.
  @inline(__always)
  private func plain(_ next: Place) -> Place {
    var next = unsafe next
    while unsafe end - next >= 8 {
      let stops = unsafe Self.stops(
        in: UInt64(littleEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
      )
      if stops != 0 { return unsafe next + stops.trailingZeroBitCount >> 3 }
      unsafe next += 8
    }
    return unsafe lastPlain(next)
  }

  @inline(never)
  private func lastPlain(_ next: Place) -> Place {
    var next = unsafe next
    while unsafe next < end {
      let unit = unsafe next.pointee
      if unit == 0x22 || unit == 0x5C || unit < 0x20 { break }
      unsafe next += 1
    }
    return unsafe next
  }

  /// The quote that ends a string of which `next` is a backslash, if it is one.
  @inline(never)
  private func restOfString(_ next: Place) -> Place? {
    var next = unsafe next
    while unsafe has("\\", at: next) {
      guard let behind = unsafe escape(next + 1) else { return nil }
      unsafe next = unsafe plain(behind)
    }
    return unsafe has("\"", at: next) ? next : nil
  }

  /// Behind what stands behind a backslash.
  private func escape(_ next: Place) -> Place? {
    guard unsafe next < end else { return nil }
    switch unsafe Unicode.Scalar(next.pointee) {
    case "\"", "\\", "/", "b", "f", "n", "r", "t": return unsafe next + 1
    case "u":
      guard unsafe end - next >= 5 else { return nil }
      for index in 1...4 where unsafe JSONCursor.hexDigit(next[index]) == nil { return nil }
      return unsafe next + 5
    default: return nil
    }
  }
}

// MARK: - Numbers

extension JSONGrammar {
  /// The number that begins with a digit or a minus.
  ///
  /// What of it nobody asks for is not computed where this is inlined.
  @inline(__always)
  func number(_ start: Place) -> JSONCursor.Digits? {
    var digits = unsafe JSONCursor.Digits(start: start)
    if unsafe has("-", at: start) {
      digits.isNegative = true
      unsafe digits.end += 1
    }
    let first = unsafe digits.end
    take(&digits)
    guard unsafe digits.end > first, unsafe first.pointee != 0x30 || digits.end == first + 1 else {
      return nil
    }
    if unsafe has(".", at: digits.end) {
      digits.isWhole = false
      unsafe digits.end += 1
      let point = unsafe digits.end
      take(&digits)
      guard unsafe digits.end > point else { return nil }
      digits.scale = unsafe point - digits.end
    }
    if unsafe digits.end < end, unsafe digits.end.pointee | 0x20 == UInt8(ascii: "e") {
      digits.isWhole = false
      unsafe digits.end += 1
      unsafe digits.exponent = unsafe digits.end
      if unsafe has("+", at: digits.end) || has("-", at: digits.end) { unsafe digits.end += 1 }
      let power = unsafe digits.end
      while unsafe digits.end < end, unsafe digits.end.pointee &- 0x30 < 10 {
        unsafe digits.end += 1
      }
      guard unsafe digits.end > power else { return nil }
    }
    return digits
  }

  @inline(__always)
  private func take(_ digits: inout JSONCursor.Digits) {
    while unsafe digits.end < end, unsafe digits.end.pointee &- 0x30 < 10 {
      digits.mantissa = unsafe digits.mantissa &* 10 &+ UInt64(digits.end.pointee & 15)
      if digits.mantissa > 0 { digits.significant += 1 }
      unsafe digits.end += 1
    }
  }
}
