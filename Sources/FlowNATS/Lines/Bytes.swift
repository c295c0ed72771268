// The special bytes of the NATS protocol.

extension UInt8 {
  static var lineFeed: UInt8 { 0x0A }
  static var carriageReturn: UInt8 { 0x0D }

  /// Whether it separates fields; several in a row count as one.
  var isBlank: Bool { self == 0x20 || self == 0x09 }

  var isJSONBlank: Bool { isBlank || self == 0x0A || self == 0x0D }
}

extension UInt64 {
  /// Parses decimal digits; `nil` if malformed or too large.
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
  /// Exceeds every sequence number, yet sums of a few numbers below it do not overflow.
  private static let placeLimit: UInt64 = 1 << 53

  /// The number as a stream sequence; nil if it is too large.
  package var asPlace: UInt64? { self < Self.placeLimit ? self : nil }

  /// The number as a count, clamped to `placeLimit`.
  package var asCount: Int { Int(Swift.min(self, Self.placeLimit)) }
}

@inline(__always)
func part(_ buffer: UnsafeRawBufferPointer, _ range: Range<Int>) -> UnsafeRawBufferPointer {
  unsafe UnsafeRawBufferPointer(rebasing: buffer[range])
}

/// Decodes the bytes, repairing invalid UTF-8.
package func text(_ bytes: UnsafeRawBufferPointer) -> String {
  unsafe String(decoding: bytes, as: UTF8.self)
}

func isEqual(_ bytes: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
  guard bytes.count == word.utf8CodeUnitCount else { return false }
  let other = unsafe UnsafeRawBufferPointer(start: word.utf8Start, count: bytes.count)
  return unsafe bytes.elementsEqual(other)
}

/// Whether the bytes spell `word`, which is in lower case, ignoring case.
func isVerb(_ bytes: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
  guard bytes.count == word.utf8CodeUnitCount else { return false }
  for index in bytes.indices {
    let byte = unsafe bytes[index]
    let lower = byte &- 0x41 < 26 ? byte | 0x20 : byte
    guard unsafe lower == word.utf8Start[index] else { return false }
  }
  return true
}
