// The protocol's special bytes, and the alphabets of its names and tags.

extension UInt8 {
  @usableFromInline static var lineFeed: UInt8 { 0x0A }
  @usableFromInline static var carriageReturn: UInt8 { 0x0D }
  @usableFromInline static var space: UInt8 { 0x20 }
  @usableFromInline static var tab: UInt8 { 0x09 }
  @usableFromInline static var equals: UInt8 { 0x3D }
  @usableFromInline static var slash: UInt8 { 0x2F }
  @usableFromInline static var colon: UInt8 { 0x3A }
  @usableFromInline static var hash: UInt8 { 0x23 }
  static var at: UInt8 { 0x40 }
  static var dollar: UInt8 { 0x24 }
  static var dot: UInt8 { 0x2E }
  static var dash: UInt8 { 0x2D }
  static var quote: UInt8 { 0x22 }
  static var backslash: UInt8 { 0x5C }
  static var openParenthesis: UInt8 { 0x28 }
  static var closeParenthesis: UInt8 { 0x29 }
  static var openBracket: UInt8 { 0x5B }
  static var closeBracket: UInt8 { 0x5D }
  static var openBrace: UInt8 { 0x7B }
  static var closeBrace: UInt8 { 0x7D }

  /// Whether it separates fields; several in a row count as one.
  @inlinable @inline(__always)
  var isBlank: Bool { self == 0x20 || self == 0x09 }

  @inlinable @inline(__always)
  var isDigit: Bool { self &- 0x30 < 10 }

  /// `A-Z`, `a-z` or `_`.
  @inlinable @inline(__always)
  var beginsName: Bool { (self | 0x20) &- 0x61 < 26 || self == 0x5F }

  /// `A-Z`, `a-z`, `0-9` or `_`: the first byte of a name's level after a `/`.
  @inlinable @inline(__always)
  var beginsLevel: Bool { beginsName || isDigit }

  /// `A-Z`, `a-z`, `0-9`, `_` or `-`, looked up in a bit mask of 128 bits.
  @inlinable @inline(__always)
  var continuesName: Bool {
    let half: UInt64 = self & 0x40 == 0 ? 0x03FF_2000_0000_0000 : 0x07FF_FFFE_87FF_FFFE
    return self < 0x80 && half &>> UInt64(self) & 1 == 1
  }

  /// `A-Za-z0-9._-`.
  var isTag: Bool { continuesName || self == 0x2E }
}
