/// Escapes text for URIs and HTML.
package enum HTTPText {
  /// `text` as a part of a path or of a query: everything but letters, digits, and `-._~` becomes
  /// `%XX`.
  package static func percentEncode(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte.isUnreserved {
        bytes.append(byte)
      } else {
        bytes += [0x25, hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text that `bytes` stand for; nil if a `%` has no two hexadecimal digits behind it, or if
  /// the result is not UTF-8 or contains a NUL.
  package static func percentDecode(
    _ bytes: some Collection<UInt8>,
    plusIsSpace: Bool = false
  ) -> String? {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case 0x25:
        guard let high = rest.next()?.hexValue, let low = rest.next()?.hexValue else { return nil }
        result.append(high << 4 | low)
      case 0x2B where plusIsSpace: result.append(0x20)
      default: result.append(byte)
      }
    }
    guard !result.contains(0) else { return nil }
    return String(validating: result, as: UTF8.self)
  }

  /// `text` as it can stand between tags of HTML, and in an attribute with either kind of quotes.
  package static func escapeHTML(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static let hexDigits = Array("0123456789ABCDEF".utf8)
}
