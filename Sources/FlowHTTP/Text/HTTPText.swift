/// Checks and decodes text, and escapes text for HTML.
package enum HTTPText {
  package static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    do throws(UTF8.ValidationError) {
      _ = try unsafe UTF8Span(validating: bytes.assumingMemoryBound(to: UInt8.self).span)
      return true
    } catch {
      return false
    }
  }

  /// Decodes `%XX`; nil if a `%` lacks its digits, or the result is not UTF-8 or contains a NUL.
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

  /// Escapes text for HTML, between tags or in an attribute with either kind of quotes.
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
}
