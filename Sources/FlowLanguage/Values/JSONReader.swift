/// Reads one JSON text, strictly as RFC 8259 has it.
struct JSONReader {
  private let octets: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var depth = 0

  /// Deeper nesting than this counts as no JSON.
  private static let deepest = 128

  /// The value `octets` is the JSON text of, or `nil`.
  static func read(_ octets: UnsafeBufferPointer<UInt8>) -> Value? {
    var reader = JSONReader(octets: octets)
    reader.skipSpace()
    guard let value = reader.value() else { return nil }
    reader.skipSpace()
    return reader.position == octets.count ? value : nil
  }

  private init(octets: UnsafeBufferPointer<UInt8>) { self.octets = octets }

  private var next: UInt8? { position < octets.count ? octets[position] : nil }

  private mutating func skipSpace() {
    while let unit = next, unit == 0x20 || unit == 0x09 || unit == 0x0A || unit == 0x0D {
      position += 1
    }
  }

  private mutating func take(_ unit: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: unit) else { return false }
    position += 1
    return true
  }

  private mutating func take(word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard position + length <= octets.count else { return false }
    for index in 0..<length where octets[position + index] != word.utf8Start[index] { return false }
    position += length
    return true
  }

  private mutating func value() -> Value? {
    switch next {
    case UInt8(ascii: "n"): take(word: "null") ? .null : nil
    case UInt8(ascii: "t"): take(word: "true") ? .bool(true) : nil
    case UInt8(ascii: "f"): take(word: "false") ? .bool(false) : nil
    case UInt8(ascii: "\""): string().map(Value.string)
    case UInt8(ascii: "["): nested { $0.array() }
    case UInt8(ascii: "{"): nested { $0.object() }
    default: number()
    }
  }

  private mutating func nested(_ body: (inout Self) -> Value?) -> Value? {
    guard depth < Self.deepest else { return nil }
    depth += 1
    position += 1
    skipSpace()
    defer { depth -= 1 }
    return body(&self)
  }

  private mutating func array() -> Value? {
    var elements: [Value] = []
    if take("]") { return .array(elements) }
    while true {
      skipSpace()
      guard let element = value() else { return nil }
      elements.append(element)
      skipSpace()
      if take("]") { return .array(elements) }
      guard take(",") else { return nil }
    }
  }

  private mutating func object() -> Value? {
    var members: [JSONObject.Member] = []
    if take("}") { return .object(JSONObject(members: members)) }
    while true {
      skipSpace()
      guard let key = string() else { return nil }
      skipSpace()
      guard take(":") else { return nil }
      skipSpace()
      guard let value = value() else { return nil }
      members.append(JSONObject.Member(key: key, value: value))
      skipSpace()
      if take("}") { return .object(JSONObject(members: members)) }
      guard take(",") else { return nil }
    }
  }
}

// MARK: - Numbers

extension JSONReader {
  private mutating func digits() -> Bool {
    let start = position
    while let unit = next, unit >= 0x30, unit <= 0x39 { position += 1 }
    return position > start
  }

  private mutating func number() -> Value? {
    let start = position
    _ = take("-")
    let first = position
    guard digits(), octets[first] != 0x30 || position == first + 1 else { return nil }
    var whole = true
    if take(".") {
      whole = false
      guard digits() else { return nil }
    }
    if take("e") || take("E") {
      whole = false
      if !take("+") { _ = take("-") }
      guard digits() else { return nil }
    }
    let text = String(decoding: octets[start..<position], as: UTF8.self)
    if whole, let number = Int(text) { return .int(number) }
    guard let number = Double(text), number.isFinite else { return nil }
    return .double(number)
  }
}

// MARK: - Strings

extension JSONReader {
  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    let start = position
    while let unit = next, unit != UInt8(ascii: "\""), unit != UInt8(ascii: "\\"), unit >= 0x20 {
      position += 1
    }
    let plain = octets[start..<position]
    if take("\"") { return String(decoding: plain, as: UTF8.self) }
    var text = [UInt8](plain)
    while let unit = next, unit >= 0x20 {
      position += 1
      switch unit {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escaped() else { return nil }
        text += String(Character(scalar)).utf8
      default: text.append(unit)
      }
    }
    return nil
  }

  private mutating func escaped() -> Unicode.Scalar? {
    guard let unit = next else { return nil }
    position += 1
    switch Unicode.Scalar(unit) {
    case "\"", "\\", "/": return Unicode.Scalar(unit)
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "b": return "\u{8}"
    case "f": return "\u{c}"
    case "u": return hexadecimal()
    default: return nil
    }
  }

  private mutating func hexadecimal() -> Unicode.Scalar? {
    guard let high = fourDigits() else { return nil }
    guard high >= 0xD800, high < 0xE000 else { return Unicode.Scalar(high) }
    let after = position
    if high < 0xDC00, take(word: "\\u"), let low = fourDigits(), low >= 0xDC00, low < 0xE000 {
      return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }
    position = after
    return "\u{FFFD}"
  }

  private mutating func fourDigits() -> UInt32? {
    guard position + 4 <= octets.count else { return nil }
    var number: UInt32 = 0
    for unit in octets[position..<position + 4] {
      guard let digit = Character(Unicode.Scalar(unit)).hexDigitValue else { return nil }
      number = number << 4 + UInt32(digit)
    }
    position += 4
    return number
  }
}
