/// The text between the quotes of a string that is known to be JSON.
@safe  // memory 8
struct JSONString {
  let start: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  /// Whether it has no escapes.
  let isPlain: Bool

  /// The string whose quote is at a place; `nil` if there is none.
  @inline(__always)
  init?(at place: JSONGrammar.Place) {
    guard unsafe JSONGrammar.has("\"", at: place),
      let string = unsafe JSONGrammar.string(place + 1)
    else { return nil }
    self = string
  }

  init(
    start: UnsafePointer<UInt8>,
    end: UnsafePointer<UInt8>,
    isPlain: Bool = true
  ) {
    unsafe self.start = unsafe start
    unsafe self.end = unsafe end
    self.isPlain = isPlain
  }

  var count: Int { unsafe end - start }

  private var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: start, count: count)
  }

  /// What is meant.
  var string: String {
    unsafe isPlain ? String(decoding: bytes, as: UTF8.self) : unescaped
  }

  private var unescaped: String {
    var units: [UInt8] = []
    units.reserveCapacity(count)
    var next = unsafe start
    while unsafe next < end {
      let unit = unsafe next.pointee
      unsafe next += 1
      guard unit == UInt8(ascii: "\\") else {
        units.append(unit)
        continue
      }
      let escape = unsafe next.pointee
      unsafe next += 1
      switch Unicode.Scalar(escape) {
      case "n": units.append(0x0A)
      case "r": units.append(0x0D)
      case "t": units.append(0x09)
      case "b": units.append(0x08)
      case "f": units.append(0x0C)
      case "u": unsafe units += String(Character(scalar(&next))).utf8
      default: units.append(escape)
      }
    }
    return String(decoding: units, as: UTF8.self)
  }

  /// The character of `\u` and of the one behind it if they are a pair; a half alone is U+FFFD.
  private func scalar(_ next: inout UnsafePointer<UInt8>) -> Unicode.Scalar {
    let high = unsafe UInt32(fourDigits(next))
    unsafe next += 4
    guard high & 0xF800 == 0xD800 else { return Unicode.Scalar(high) ?? "\u{FFFD}" }
    guard high < 0xDC00, unsafe end - next >= 6, unsafe next[0] == UInt8(ascii: "\\"),
      unsafe next[1] == UInt8(ascii: "u")
    else { return "\u{FFFD}" }
    let low = unsafe UInt32(fourDigits(next + 2))
    guard low & 0xFC00 == 0xDC00 else { return "\u{FFFD}" }
    unsafe next += 6
    return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
  }

  private func fourDigits(_ digits: UnsafePointer<UInt8>) -> UInt16 {
    (0..<4).reduce(0) { unsafe $0 << 4 | (Self.hexDigit(digits[$1]) ?? 0) }
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

// MARK: - As a key

extension JSONString {
  /// As a key.
  var key: Key {
    guard isPlain else { return Key(string) }
    return unsafe Key(String(decoding: bytes, as: UTF8.self), tag: tag)
  }

  /// Whether it is `key`.
  @inline(__always)
  func isSame(as key: Key) -> Bool { isKey(key.tag) { $0.isSame(as: key.text) } }

  /// Whether it is the key with this tag; `isSame` is asked where the tag alone does not tell.
  @inline(__always)
  func isKey(_ tag: UInt64, _ isSame: (JSONString) -> Bool) -> Bool {
    isPlain ? self.tag == tag && (Key.isWhole(tag) || isSame(self)) : isSame(self)
  }

  /// The tag that the key has, if it is plain.
  @inline(__always)
  private var tag: UInt64 {
    // What is read beyond is the text behind it or its padding.
    let eight = unsafe UInt64(
      littleEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self)
    )
    return Key.tag(eight, count)
  }

  /// Whether it is `text`, byte for byte.
  @inline(never)
  func isSame(as text: String) -> Bool {
    guard isPlain else { return unescaped.isSame(as: text) }
    return unsafe text.withBytes { text in
      unsafe text.count == bytes.count && commonPrefix(bytes, text) == text.count
    }
  }
}
