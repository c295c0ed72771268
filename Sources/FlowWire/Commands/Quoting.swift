/// A piece of a line as an error shows it: in quotes, on one line, and not too long.
func quoted(_ octets: UnsafeRawBufferPointer) -> String {
  let longest = 40
  let text = String(decoding: octets.prefix(longest), as: UTF8.self)
  return "\"\(escaped(text))\(octets.count > longest ? "…" : "")\""
}

func quoted(_ text: String) -> String {
  var text = text
  return text.withUTF8 { quoted(UnsafeRawBufferPointer($0)) }
}

/// `text` with its control characters made visible, so that it stays on one line.
func escaped(_ text: String) -> String {
  guard text.utf8.contains(where: \.isControl) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    guard let octet = UInt8(exactly: scalar.value), octet.isControl else {
      result.unicodeScalars.append(scalar)
      continue
    }
    switch octet {
    case .lineFeed: result += "\\n"
    case .carriageReturn: result += "\\r"
    default:
      let digits = String(octet, radix: 16, uppercase: true)
      result += "\\x" + (octet < 16 ? "0" : "") + digits
    }
  }
  return result
}

extension UInt8 {
  /// What may not stand in a text field of a line; a tab may.
  var isControl: Bool { (self < 0x20 && self != .tab) || self == 0x7F }
}
