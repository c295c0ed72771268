// The bytes that the lines of NATS are made of.

extension UInt8 {
  static var lineFeed: UInt8 { 0x0A }
  static var carriageReturn: UInt8 { 0x0D }

  /// Fields are separated by one or more of these.
  var isBlank: Bool { self == 0x20 || self == 0x09 }

  /// What may stand around the parts of JSON.
  var isJSONBlank: Bool { isBlank || self == 0x0A || self == 0x0D }
}

extension UInt64 {
  /// The number that decimal digits spell; `nil` if it is none, or too great.
  init?(digits: UnsafeRawBufferPointer) {
    guard unsafe !digits.isEmpty else { return nil }
    self = 0
    for index in digits.indices {
      let digit = unsafe digits[index] &- 0x30
      guard digit < 10 else { return nil }
      let (tens, isTooGreat) = multipliedReportingOverflow(by: 10)
      let (sum, carries) = tens.addingReportingOverflow(UInt64(digit))
      guard !isTooGreat, !carries else { return nil }
      self = sum
    }
  }
}

extension UInt64 {
  /// Greater than any sequence number, yet sums of a few numbers below it do not overflow.
  private static let placeLimit: UInt64 = 1 << 53

  /// The number as a sequence number of a stream; nil if it is too large to be one.
  package var asPlace: UInt64? { self < Self.placeLimit ? self : nil }

  /// The number as a count, at most `placeLimit`.
  package var asCount: Int { Int(Swift.min(self, Self.placeLimit)) }
}

/// The bytes at `range`, as a buffer of their own.
@inline(__always)
func part(_ buffer: UnsafeRawBufferPointer, _ range: Range<Int>) -> UnsafeRawBufferPointer {
  unsafe UnsafeRawBufferPointer(rebasing: buffer[range])
}

/// The text of the bytes, whatever they are.
package func text(_ bytes: UnsafeRawBufferPointer) -> String {
  unsafe String(decoding: bytes, as: UTF8.self)
}

/// Whether the bytes are those of `word`.
func isEqual(_ bytes: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
  guard bytes.count == word.utf8CodeUnitCount else { return false }
  let other = unsafe UnsafeRawBufferPointer(start: word.utf8Start, count: bytes.count)
  return unsafe bytes.elementsEqual(other)
}

/// Whether the bytes are those of `word`, which is in lower case, in any case.
func isVerb(_ bytes: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
  guard bytes.count == word.utf8CodeUnitCount else { return false }
  for index in bytes.indices {
    let byte = unsafe bytes[index]
    let lower = byte &- 0x41 < 26 ? byte | 0x20 : byte
    guard unsafe lower == word.utf8Start[index] else { return false }
  }
  return true
}
