/// A value in the JSON that NATS says, in which a few fields are looked for.
///
/// No general reader: it goes over what it is not asked for, numbers are whole and not negative, and
/// what is malformed is as if it were not there.
@safe  // memory 8
package struct FieldSearch {
  private let bytes: UnsafeRawBufferPointer

  /// Makes a search in `json`, which is valid as long as the search.
  package init(_ json: UnsafeRawBufferPointer) { unsafe bytes = unsafe json }

  /// The member called `key`, if this is an object that has one.
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

  /// The elements, if this is an array.
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

  /// The number, if this is one.
  package var number: UInt64? { unsafe UInt64(digits: bytes) }

  /// The number as a sequence number of a stream; nil if it is too large to be one.
  package var place: UInt64? { number?.asPlace }

  /// The number as a count, bounded so that sums of a few counts do not overflow.
  package var count: Int? { number?.asCount }

  /// Whether this is `true`.
  package var isTrue: Bool { unsafe isEqual(bytes, "true") }

  /// Whether there is nothing in it: `null`, `[]` or `{}`.
  package var isEmpty: Bool {
    if unsafe isEqual(bytes, "null") { return true }
    var reader = unsafe JSONReader(bytes)
    if reader.take(0x5B) { return reader.take(0x5D) }
    return reader.take(0x7B) && reader.take(0x7D)
  }

  /// The text, if this is a string.
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

/// Goes over JSON, from one part to the next.
@safe  // memory 8
private struct JSONReader {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0

  init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = unsafe bytes }

  private mutating func skipBlanks() {
    while unsafe place < bytes.count, unsafe bytes[place].isJSONBlank { place += 1 }
  }

  /// Goes over `byte` and the blanks before it, if that comes next.
  mutating func take(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard unsafe place < bytes.count, unsafe bytes[place] == byte else { return false }
    place += 1
    return true
  }

  /// Goes over a string; returns where its inside stands.
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

  /// Goes over a value of any kind; returns where it stands.
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
