internal import CVectors

/// The grammar of RFC 8259: it tells where what stands at a place ends, and `nil` if that is not JSON.
///
/// All that it goes by is the place, which stays in a register. The text has to outlive it, and has
/// the padding of `PaddedBytes`: a 0 is not JSON, so nothing is read beyond.
enum JSONGrammar {  // memory 8
  typealias Place = UnsafePointer<UInt8>

  /// Whether `unit` stands at a place.
  @inline(__always)
  static func has(_ unit: Unicode.Scalar, at next: Place) -> Bool {
    unsafe next.pointee == UInt8(truncatingIfNeeded: unit.value)
  }

  /// Whether `first` and `second` stand at a place and the next.
  @inline(__always)
  static func has(_ first: Unicode.Scalar, _ second: Unicode.Scalar, at next: Place) -> Bool {
    let two = UInt16(truncatingIfNeeded: first.value | second.value << 8)
    return unsafe UnsafeRawPointer(next).loadUnaligned(as: UInt16.self) == two.littleEndian
  }

  /// The first place from `next` on that has no blank.
  @inline(__always)
  static func blanks(_ next: Place) -> Place {
    guard unsafe next.pointee <= 0x20 else { return unsafe next }
    return unsafe moreBlanks(next)
  }

  @inline(never)
  private static func moreBlanks(_ next: Place) -> Place {
    var next = unsafe next
    while unsafe isBlank(next.pointee) { unsafe next += 1 }
    return unsafe next
  }

  private static func isBlank(_ unit: UInt8) -> Bool {
    unit == 0x20 || unit == 0x0A || unit == 0x0D || unit == 0x09
  }

  /// Behind `word` if its last four bytes are there; what it has before them is known to be.
  @inline(__always)
  static func word(_ word: StaticString, at next: Place) -> Place? {
    let before = word.utf8CodeUnitCount - 4
    return unsafe four(word.utf8Start + before) == four(next + before) ? next + before + 4 : nil
  }

  @inline(__always)
  private static func four(_ place: Place) -> UInt32 {
    unsafe UnsafeRawPointer(place).loadUnaligned(as: UInt32.self)
  }
}

// MARK: - Strings

extension JSONGrammar {
  /// The string whose text begins at `start`, behind its quote; `nil` if that is none.
  @inline(__always)
  static func string(_ start: Place) -> JSONString? {
    let stop = unsafe plain(start)
    if unsafe has("\"", at: stop) { return unsafe JSONString(start: start, end: stop) }
    return unsafe restOfString(from: start, stop)
  }

  /// The first place that has a quote, a backslash or a control character, or one 16 behind `next`.
  @inline(__always)
  static func plain(_ next: Place) -> Place { unsafe next + Int(flow_plain(next)) }

  /// The string whose text begins at `start` and is plain before `next`.
  @inline(never)
  private static func restOfString(from start: Place, _ next: Place) -> JSONString? {
    var next = unsafe next
    var isPlain = true
    while true {
      switch unsafe next.pointee {
      case UInt8(ascii: "\""): return unsafe JSONString(start: start, end: next, isPlain: isPlain)
      case UInt8(ascii: "\\"):
        guard let behind = unsafe escape(next + 1) else { return nil }
        unsafe next = unsafe behind
        isPlain = false
      case 0..<0x20: return nil
      default: break
      }
      unsafe next = unsafe plain(next)
    }
  }

  /// Behind what stands behind a backslash.
  private static func escape(_ next: Place) -> Place? {
    switch unsafe Unicode.Scalar(next.pointee) {
    case "\"", "\\", "/", "b", "f", "n", "r", "t": return unsafe next + 1
    case "u":
      for index in 1...4 where unsafe JSONString.hexDigit(next[index]) == nil { return nil }
      return unsafe next + 5
    default: return nil
    }
  }

  /// The array or object at a place of a text that is known to be JSON, and how many stand one inside
  /// another.
  static func container(at start: Place) -> (bytes: UnsafeRawBufferPointer, height: UInt32) {
    var next = unsafe start
    var (depth, height): (UInt32, UInt32) = (0, 0)
    repeat {
      switch unsafe next.pointee {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        height = max(height, depth)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""):
        if let text = unsafe string(next + 1) { unsafe next = unsafe text.end }
      default: break
      }
      unsafe next += 1
    } while depth > 0
    return unsafe (UnsafeRawBufferPointer(start: start, count: next - start), height)
  }

  /// The first place that has a quote or a blank, or one 16 behind `next`.
  @inline(__always)
  static func bare(_ next: Place) -> Place { unsafe next + Int(flow_bare(next)) }

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
}

// MARK: - Numbers

extension JSONGrammar {
  /// Behind the number that begins with a digit or a minus.
  @inline(__always)
  static func number(_ start: Place) -> Place? {
    let first = unsafe has("-", at: start) ? start + 1 : start
    let count = unsafe digits(first)
    guard unsafe count == 1 || count > 0 && !has("0", at: first) else { return nil }
    let next = unsafe first + count
    let unit = unsafe next.pointee
    if unit == UInt8(ascii: ".") || unit | 0x20 == UInt8(ascii: "e") {
      return unsafe fraction(next)
    }
    return unsafe next
  }

  /// Behind the point with its digits, if there is one, and the exponent, if there is one.
  @inline(__always)
  private static func fraction(_ start: Place) -> Place? {
    var next = unsafe start
    if unsafe has(".", at: next) {
      let count = unsafe digits(next + 1)
      guard count > 0 else { return nil }
      unsafe next += 1 + count
      guard unsafe next.pointee | 0x20 == UInt8(ascii: "e") else { return unsafe next }
    }
    return unsafe exponent(next)
  }

  @inline(never)
  private static func exponent(_ start: Place) -> Place? {
    var next = unsafe start + 1
    if unsafe has("+", at: next) || has("-", at: next) { unsafe next += 1 }
    let count = unsafe digits(next)
    return unsafe count > 0 ? next + count : nil
  }

  /// How many digits there are from `next` on.
  @inline(__always)
  static func digits(_ next: Place) -> Int {
    let count = unsafe Int(flow_digits(next))
    return unsafe count < 16 ? count : moreDigits(next)
  }

  @inline(never)
  private static func moreDigits(_ next: Place) -> Int {
    var count = 16
    while unsafe next[count] &- 0x30 < 10 { count += 1 }
    return count
  }
}
