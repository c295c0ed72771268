import FlowLanguage

/// Writes fields of CSV (RFC 4180).
enum CSVText {
  /// Appends a field, quoted if it must be or `isQuoted`.
  static func append(
    _ field: UnsafeRawBufferPointer,
    isQuoted: Bool = false,
    to output: inout [UInt8]
  ) {
    guard unsafe isQuoted || field.contains(where: isSpecial) || field.starts(with: byteOrderMark)
    else {
      return unsafe output.append(contentsOf: field)
    }
    output.append(UInt8(ascii: "\""))
    for index in field.indices {
      let byte = unsafe field[index]
      if byte == UInt8(ascii: "\"") { output.append(byte) }
      output.append(byte)
    }
    output.append(UInt8(ascii: "\""))
  }

  static func row(_ fields: [String]) -> String {
    var row: [UInt8] = []
    for (number, field) in fields.enumerated() {
      if number > 0 { row.append(UInt8(ascii: ",")) }
      var field = field
      field.withUTF8 { unsafe append(UnsafeRawBufferPointer($0), to: &row) }
    }
    return String(decoding: row, as: UTF8.self)
  }

  /// Readers remove it at the start of a text, so a field that begins with it is quoted.
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 10 || byte == 13
  }

  /// Whether a field spells a JSON number, `true`, `false` or `null`.
  static func isLiteral(_ field: ArraySlice<UInt8>) -> Bool {
    guard let first = field.first, let last = field.last, last > 0x20 else { return false }
    switch Unicode.Scalar(first) {
    case "0"..."9", "-", "t", "f", "n":
      return unsafe field.withUnsafeBytes { unsafe JSONText.isJSON($0) }
    default: return false
    }
  }
}
