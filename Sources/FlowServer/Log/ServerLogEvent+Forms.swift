internal import FlowWire

// The event as a line. Its texts cannot end the line or look like another part of it.
extension ServerLogEvent {
  /// The most bytes of a message, so that each line is written whole.
  private static let longestMessage = 4000
  private static let longestText = 1000

  package var text: String {
    FrameWriter.oneLine(Self.cut(message, to: Self.longestMessage))
  }

  /// As `key=value`, in quotes and with JSON's escapes where needed.
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

  /// Appends a JSON string of at most `limit` bytes, with invisible characters escaped.
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
      case _ where scalar.isUnseen: line += scalar.jsonEscape
      default: line.unicodeScalars.append(scalar)
      }
    }
    line += "\""
  }

  /// Cuts a text between whole Unicode characters.
  private static func cut(_ text: String, to limit: Int) -> String {
    guard text.utf8.count > limit else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: limit)
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return "\(text[..<end])…"
  }
}

extension ServerLogEvent.Field {
  /// Whether it needs no quotes: printable ASCII without special characters.
  fileprivate var isBare: Bool {
    guard !text.isEmpty, text.utf8.count <= 256 else { return false }
    return text.utf8.allSatisfy { byte in
      (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "=")
        && byte != UInt8(ascii: "\\")
    }
  }
}
