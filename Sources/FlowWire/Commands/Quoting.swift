/// Quotes a piece of a line for an error message, shortened and on one line.
func quoted(_ bytes: UnsafeRawBufferPointer) -> String {
  let longest = 40
  let text = unsafe String(decoding: bytes.prefix(longest), as: UTF8.self)
  return "\"\(escaped(text))\(bytes.count > longest ? "…" : "")\""
}

func quoted(_ text: String) -> String {
  var text = text
  return text.withUTF8 { unsafe quoted(UnsafeRawBufferPointer($0)) }
}

/// Escapes every invisible character of `text`, so that it stays on one line.
func escaped(_ text: String) -> String {
  guard text.utf8.contains(where: { $0.isControl || $0 >= 0x80 }) else { return text }
  guard text.unicodeScalars.contains(where: \.isUnseen) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    guard scalar.isUnseen else {
      result.unicodeScalars.append(scalar)
      continue
    }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    switch scalar {
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case ..<"\u{80}": result += "\\x" + (digits.count < 2 ? "0" : "") + digits
    default: result += "\\u{\(digits)}"
    }
  }
  return result
}

extension Unicode.Scalar {
  /// Whether a terminal obeys it or shows nothing: C0 and C1 controls except the tab, line
  /// separators, direction marks and zero-width characters.
  public var isUnseen: Bool {
    if value < 0x80 { return UInt8(truncatingIfNeeded: value).isControl }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return properties.isDefaultIgnorableCodePoint
    }
  }

  /// Its escape in JSON, such as `\u202e`.
  public var jsonEscape: String {
    String(self).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    .joined()
  }
}

extension UInt8 {
  /// Whether it is forbidden in a text field of a line; a tab is allowed.
  var isControl: Bool { (self < 0x20 && self != .tab) || self == 0x7F }
}
