/// The width of a program's help, in columns.
package let helpWidth = 80

/// Formats rows of two columns, wrapping the second.
///
/// A first column wider than the others gets a line of its own.
package func helpLines(_ rows: [(String, String)]) -> [String] {
  let widest = 28
  let width = rows.map(\.0.count).filter { $0 <= widest }.max() ?? widest
  let indent = String(repeating: " ", count: width + 4)
  return rows.flatMap { left, right in
    let lines = helpParagraph(right, width: helpWidth - width - 4)
    let isApart = left.count > width
    let gap = String(repeating: " ", count: isApart ? 0 : width - left.count + 2)
    let first = "  \(left)" + (isApart ? "" : gap + (lines.first ?? ""))
    return [first] + lines.dropFirst(isApart ? 0 : 1).map { indent + $0 }
  }
}

/// Wraps a text at blanks.
package func helpParagraph(_ text: String, width: Int = helpWidth) -> [String] {
  var lines: [String] = []
  for word in text.split(separator: " ") {
    if let last = lines.last, last.count + 1 + word.count <= width {
      lines[lines.count - 1] = "\(last) \(word)"
    } else {
      lines.append(String(word))
    }
  }
  return lines
}
