@testable import flowclient

/// A terminal as far as a line editor needs one: rows of cells, a cursor, and what it obeys.
struct TestScreen {
  let columns: Int
  private(set) var rows: [[String]] = [[]]
  private(set) var row = 0
  private(set) var column = 0
  /// Whether something was written behind the last column.
  private(set) var hasWrapped = false

  init(columns: Int) { self.columns = columns }

  /// The rows without blanks at their ends, and without empty ones at the end.
  var lines: [String] {
    var lines = rows.map { row in
      var text = row.joined()
      while text.last == " " { text.removeLast() }
      return text
    }
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  mutating func write(_ text: String) {
    var scalars = Array(text.unicodeScalars)[...]
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\u{1b}": obey(&scalars)
      case "\r": column = 0
      case "\n":
        row += 1
        if row == rows.count { rows.append([]) }
        // As the kernel has it.
        column = 0
      default: put(scalar)
      }
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let width = DisplayText.width(scalar)
    if width == 0 {
      if column > 0 { rows[row][column - 1].unicodeScalars.append(scalar) }
      return
    }
    if column + width > columns { hasWrapped = true }
    while rows[row].count < column + width { rows[row].append(" ") }
    rows[row][column] = String(scalar)
    if width == 2 { rows[row][column + 1] = "" }
    column += width
  }

  private mutating func obey(_ scalars: inout ArraySlice<Unicode.Scalar>) {
    guard scalars.popFirst() == "[" else { return }
    var number = ""
    while let scalar = scalars.popFirst() {
      guard !("@"..."~" ~= scalar) else {
        let count = Int(number) ?? 0
        switch scalar {
        case "A": row = max(0, row - max(1, count))
        case "B": row = min(rows.count - 1, row + max(1, count))
        case "G": column = max(1, count) - 1
        case "K": rows[row] = Array(rows[row].prefix(column))
        case "J":
          rows[row] = Array(rows[row].prefix(column))
          rows.removeSubrange((row + 1)...)
        default: break
        }
        return
      }
      number.unicodeScalars.append(scalar)
    }
  }
}
