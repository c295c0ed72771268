/// Just enough of JSON to put a payload into an object.
enum JSONText {
  /// Adds `payload` as it is if it is JSON, and as a JSON string if not, in one line.
  static func append(_ payload: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    var scanner = unsafe JSONScanner(payload)
    guard scanner.isValid() else {
      unsafe appendString(String(decoding: payload, as: UTF8.self), to: &output)
      return
    }
    // Line ends stand only between tokens: inside a string they would not be valid.
    unsafe output.append(contentsOf: payload.lazy.map { $0 == 10 || $0 == 13 ? 32 : $0 })
  }

  /// A text as a JSON string.
  static func string(_ text: String) -> String {
    var bytes: [UInt8] = []
    appendString(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func appendString(_ text: String, to output: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    output.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
      case 10: output += Array("\\n".utf8)
      case 13: output += Array("\\r".utf8)
      case 9: output += Array("\\t".utf8)
      case ..<32, 127:
        output += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}

/// Checks that bytes are one JSON value, by the grammar of RFC 8259.
@safe  // memory 8
private struct JSONScanner {
  private let bytes: UnsafeRawBufferPointer
  private var index = 0
  private static let deepest = 512

  init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = unsafe bytes }

  mutating func isValid() -> Bool {
    guard unsafe String(validating: bytes, as: UTF8.self) != nil else { return false }
    guard value(depth: 0) else { return false }
    skipBlanks()
    return unsafe index == bytes.count
  }

  private mutating func value(depth: Int) -> Bool {
    guard depth < Self.deepest else { return false }
    skipBlanks()
    switch peek {
    case UInt8(ascii: "{"):
      return sequence(end: UInt8(ascii: "}")) { scanner in
        scanner.skipBlanks()
        guard scanner.string() else { return false }
        scanner.skipBlanks()
        return scanner.take(UInt8(ascii: ":")) && scanner.value(depth: depth + 1)
      }
    case UInt8(ascii: "["):
      return sequence(end: UInt8(ascii: "]")) { $0.value(depth: depth + 1) }
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: "t"): return word("true")
    case UInt8(ascii: "f"): return word("false")
    case UInt8(ascii: "n"): return word("null")
    default: return number()
    }
  }

  private mutating func sequence(end: UInt8, _ element: (inout Self) -> Bool) -> Bool {
    index += 1
    skipBlanks()
    if take(end) { return true }
    repeat {
      guard element(&self) else { return false }
      skipBlanks()
    } while take(UInt8(ascii: ","))
    return take(end)
  }

  private mutating func string() -> Bool {
    guard take(UInt8(ascii: "\"")) else { return false }
    while let byte = next() {
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"):
        guard let escape = next() else { return false }
        if escape == UInt8(ascii: "u") {
          for _ in 0..<4 { guard let digit = next(), isHex(digit) else { return false } }
        } else if !"\"\\/bfnrt".utf8.contains(escape) {
          return false
        }
      case ..<32: return false
      default: break
      }
    }
    return false
  }

  private mutating func number() -> Bool {
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { guard digits() else { return false } }
    if take(UInt8(ascii: ".")) { guard digits() else { return false } }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      guard digits() else { return false }
    }
    return true
  }

  private mutating func digits() -> Bool {
    let start = index
    while let byte = peek, (48...57).contains(byte) { index += 1 }
    return index > start
  }

  private mutating func word(_ word: StaticString) -> Bool {
    for offset in 0..<word.utf8CodeUnitCount {
      guard unsafe take(word.utf8Start[offset]) else { return false }
    }
    return true
  }

  private mutating func skipBlanks() {
    while let byte = peek, byte == 32 || byte == 9 || byte == 10 || byte == 13 { index += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    index += 1
    return true
  }

  private mutating func next() -> UInt8? {
    guard let byte = peek else { return nil }
    index += 1
    return byte
  }

  private var peek: UInt8? { unsafe index < bytes.count ? bytes[index] : nil }

  private func isHex(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
  }
}
