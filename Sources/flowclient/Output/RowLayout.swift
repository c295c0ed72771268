/// A row of an answer on a terminal: what does not fit a line stands below what it is about.
enum RowLayout {
  /// The lines, at most `width` columns wide.
  static func lines(of row: String, width: Int) -> [String] {
    guard DisplayText.width(row) > width else { return [row] }
    let (head, fields) = cut(row)
    let lines = DisplayText.fold(String(head), to: width, indent: 4)
    guard fields.contains(where: { $0.last == "\"" }) else {
      guard !fields.isEmpty else { return lines }
      return lines
        + DisplayText.fold("    " + fields.joined(separator: " "), to: width, indent: 4)
    }
    // Fields in quotes are sentences: a line each.
    let keys = fields.map { $0.prefix { $0 != "=" } }
    let column = 6 + (keys.map(\.count).max() ?? 0)
    return lines
      + zip(keys, fields).flatMap { key, field in
        let value = field.dropFirst(key.count + 1).drop { $0 == "\"" }
        let text = value.last == "\"" ? value.dropLast() : value
        let start = DisplayText.pad("    \(key)", to: column)
        return DisplayText.fold(start + text, to: width, indent: column)
      }
  }

  /// Splits a row into its head and its fields.
  private static func cut(_ row: String) -> (head: Substring, fields: [Substring]) {
    var head = row[...]
    var fields: [Substring] = []
    while let start = lastField(of: head) {
      fields.insert(head[start...].dropFirst(), at: 0)
      head = head[..<start]
    }
    return (head, fields)
  }

  /// The place of the blank before the last field, if the text ends in one.
  private static func lastField(of text: Substring) -> Substring.Index? {
    let end =
      text.last == "\"" ? text.ranges(of: "=\"").last?.lowerBound : text.lastIndex(of: "=")
    guard let end, let blank = text[..<end].lastIndex(of: " "),
      case let key = text[text.index(after: blank)..<end], !key.isEmpty,
      key.allSatisfy({ $0.isLetter || $0 == "-" }),
      text.last == "\"" || !text[end...].contains(" ")
    else { return nil }
    return blank
  }
}
