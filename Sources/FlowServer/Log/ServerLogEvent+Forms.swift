internal import FlowWire

// An event as a line. Nothing that is in it can end the line, or look like another part of it.
extension ServerLogEvent {
  /// The most bytes of a message, and of another text, so that each line is written whole.
  private static let longestMessage = 4000
  private static let longestText = 1000

  /// For people: the message.
  package var text: String {
    FrameWriter.oneLine(Self.cut(message, to: Self.longestMessage))
  }

  /// For programs: `key=value`, in quotes where it must be, with the escapes of JSON there.
  package func logfmt(time: String) -> String {
    var line = "time=\(time) level=\(level.rawValue) event=\(name)"
    for field in fields {
      line += " \(field.key)="
      field.isBare ? line += field.text : Self.quote(field.text, Self.longestText, into: &line)
    }
    line += " msg="
    Self.quote(message, Self.longestMessage, into: &line)
    return line
  }

  /// For programs: an object of JSON.
  package func json(time: String) -> String {
    var line = #"{"time":"\#(time)","level":"\#(level.rawValue)","event":"\#(name)""#
    for field in fields {
      line += ",\"\(field.key)\":"
      field.isNumber ? line += field.text : Self.quote(field.text, Self.longestText, into: &line)
    }
    line += ",\"msg\":"
    Self.quote(message, Self.longestMessage, into: &line)
    return line + "}"
  }

  /// Appends a string of JSON in which all that is unseen is escaped, of so many bytes at most.
  private static func quote(_ text: String, _ limit: Int, into line: inout String) {
    line += "\""
    let end = line.utf8.count + limit
    for scalar in text.unicodeScalars {
      guard line.utf8.count < end else {
        line += "…"
        break
      }
      switch scalar {
      case "\"": line += "\\\""
      case "\\": line += "\\\\"
      case "\n": line += "\\n"
      case "\r": line += "\\r"
      case "\t": line += "\\t"
      case _ where scalar.isUnseen: for unit in "\(scalar)".utf16 { line += escape(unit) }
      default: line.unicodeScalars.append(scalar)
      }
    }
    line += "\""
  }

  private static func escape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// The beginning of a text, in whole characters of Unicode.
  private static func cut(_ text: String, to limit: Int) -> String {
    guard text.utf8.count > limit else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: limit)
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return "\(text[..<end])…"
  }
}

extension ServerLogEvent.Field {
  /// Whether it may stand without quotes: printable ASCII that means nothing to who reads it.
  fileprivate var isBare: Bool {
    guard !text.isEmpty, text.utf8.count <= 256 else { return false }
    return text.utf8.allSatisfy { byte in
      (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "=")
        && byte != UInt8(ascii: "\\")
    }
  }
}
