/// Finds a few fields in JSON from NATS.
///
/// It is no general parser: it skips other fields, reads whole non-negative numbers only, and
/// treats malformed JSON as missing.
@safe  // memory 8
package struct FieldSearch {
  private let bytes: UnsafeRawBufferPointer

  /// Searches in `json`, which must outlive the search.
  package init(_ json: UnsafeRawBufferPointer) { unsafe bytes = unsafe json }

  /// The value of the member `key`, if this is an object that has one.
  package subscript(key: StaticString) -> FieldSearch? {
    var reader = unsafe JSONReader(bytes)
    guard reader.take(0x7B) else { return nil }
    while let name = reader.string() {
      guard reader.take(0x3A), let value = reader.value() else { return nil }
      if unsafe isEqual(part(bytes, name), key) { return unsafe FieldSearch(part(bytes, value)) }
      guard reader.take(0x2C) else { return nil }
    }
    return nil
  }

  package var elements: [FieldSearch] {
    var reader = unsafe JSONReader(bytes)
    var elements: [FieldSearch] = []
    guard reader.take(0x5B) else { return [] }
    while let value = reader.value() {
      unsafe elements.append(FieldSearch(part(bytes, value)))
      guard reader.take(0x2C) else { break }
    }
    return elements
  }

  package var number: UInt64? { unsafe UInt64(digits: bytes) }

  /// The number as a stream sequence; nil if it is too large.
  package var place: UInt64? { number?.asPlace }

  /// The number as a count, clamped so that sums of a few counts do not overflow.
  package var count: Int? { number?.asCount }

  package var isTrue: Bool { unsafe isEqual(bytes, "true") }

  package var isEmpty: Bool {
    if unsafe isEqual(bytes, "null") { return true }
    var reader = unsafe JSONReader(bytes)
    if reader.take(0x5B) { return reader.take(0x5D) }
    return reader.take(0x7B) && reader.take(0x7D)
  }

  package var text: String? {
    var reader = unsafe JSONReader(bytes)
    guard let place = reader.string() else { return nil }
    return unsafe Self.unescaped(part(bytes, place))
  }

  private static func unescaped(_ bytes: UnsafeRawBufferPointer) -> String {
    guard unsafe bytes.contains(0x5C) else { return unsafe FlowNATS.text(bytes) }
    var units: [UInt16] = []
    var result = ""
    var plain: [UInt8] = []
    func flush() {
      result += String(decoding: plain, as: UTF8.self)
      result += String(decoding: units, as: UTF16.self)
      plain.removeAll()
      units.removeAll()
    }
    var place = 0
    while place < bytes.count {
      let byte = unsafe bytes[place]
      place += 1
      guard byte == 0x5C, place < bytes.count else {
        if !units.isEmpty { flush() }
        plain.append(byte)
        continue
      }
      let escape = unsafe bytes[place]
      place += 1
      if escape == 0x75, place + 4 <= bytes.count,
        let unit = unsafe UInt16(FlowNATS.text(part(bytes, place..<place + 4)), radix: 16)
      {
        if units.isEmpty { flush() }
        units.append(unit)
        place += 4
        continue
      }
      if !units.isEmpty { flush() }
      switch escape {
      case 0x62: plain.append(0x08)
      case 0x66: plain.append(0x0C)
      case 0x6E: plain.append(0x0A)
      case 0x72: plain.append(0x0D)
      case 0x74: plain.append(0x09)
      default: plain.append(escape)
      }
    }
    flush()
    return result
  }
}

/// Steps through JSON.
@safe  // memory 8
private struct JSONReader {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0

  init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = unsafe bytes }

  private mutating func skipBlanks() {
    while unsafe place < bytes.count, unsafe bytes[place].isJSONBlank { place += 1 }
  }

  /// Skips blanks and `byte`, if it comes next.
  mutating func take(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard unsafe place < bytes.count, unsafe bytes[place] == byte else { return false }
    place += 1
    return true
  }

  /// Skips a string; returns the range inside its quotes.
  mutating func string() -> Range<Int>? {
    guard take(0x22) else { return nil }
    let start = place
    while unsafe place < bytes.count {
      let byte = unsafe bytes[place]
      place += 1
      if byte == 0x22 { return start..<place - 1 }
      if byte == 0x5C { place += 1 }
    }
    return nil
  }

  /// Skips a value of any kind; returns its range.
  mutating func value() -> Range<Int>? {
    skipBlanks()
    let start = place
    var depth = 0
    while unsafe place < bytes.count {
      switch unsafe bytes[place] {
      case 0x22:
        guard string() != nil else { return nil }
      case 0x7B, 0x5B:
        depth += 1
        place += 1
      case 0x7D, 0x5D:
        if depth == 0 { return place > start ? start..<place : nil }
        depth -= 1
        place += 1
      case 0x2C where depth == 0:
        return place > start ? start..<place : nil
      case let byte:
        place += 1
        if depth > 0 || !byte.isJSONBlank { continue }
        return start..<place - 1
      }
      if depth == 0 { return start..<place }
    }
    return unsafe depth == 0 && place > start && place <= bytes.count ? start..<place : nil
  }
}
