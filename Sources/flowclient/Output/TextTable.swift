/// Columns of text that fit a terminal: what is too wide is cut, or folded, or left out.
struct TextTable {
  struct Column {
    var title: String
    /// Whether it stands at the right, as numbers do.
    var isNumber = false
    /// The fewest columns that it may be cut to; `nil` if it may not be cut.
    var least: Int?
    /// The order in which columns are left out, the greatest first; 0 is always shown.
    var rank = 0
  }

  var columns: [Column]
  var rows: [[String]]
  /// Blanks between two columns.
  var gap = 2
  /// The sign in the place of text that is cut off.
  var more = "…"

  /// The header and the rows, at most `width` columns wide.
  func lines(width: Int) -> [String] {
    let (shown, widths) = layout(width)
    return ([columns.map(\.title)] + rows).map { row in
      line(shown.map { row[$0] }, shown, widths, width)
    }
  }

  /// The header and the rows, with wide cells on several lines.
  func foldedLines(width: Int) -> [String] {
    let (shown, widths) = layout(width)
    return ([columns.map(\.title)] + rows).flatMap { row in
      let cells = zip(shown, widths).map { DisplayText.fold(row[$0], to: $1) }
      return (0..<(cells.map(\.count).max() ?? 1)).map { number in
        line(cells.map { number < $0.count ? $0[number] : "" }, shown, widths, width)
      }
    }
  }

  /// The rows as blocks: the first two cells on a line, below them one for each other column with its
  /// title.
  func blocks(width: Int) -> [String] {
    let titles = columns.dropFirst(2).map(\.title)
    let column = (titles.map(DisplayText.width).max() ?? 0) + gap
    let indent = 2
    return rows.flatMap { row in
      let head = DisplayText.fold("\(row[0])  \(row[1])", to: width, indent: indent)
      return head
        + zip(titles, row.dropFirst(2)).flatMap { title, cell in
          let start = String(repeating: " ", count: indent) + DisplayText.pad(title, to: column)
          return DisplayText.fold(start + cell, to: width, indent: indent + column)
        }
    }
  }

  /// Whether no cell has to be cut or folded.
  func fits(width: Int) -> Bool {
    layout(.max).widths.reduce(0, +) + gap * (columns.count - 1) <= width
  }

  /// The columns that are shown, and how wide they are.
  private func layout(_ width: Int) -> (shown: [Int], widths: [Int]) {
    let natural = columns.indices.map { column in
      max(
        DisplayText.width(columns[column].title),
        rows.lazy.map { DisplayText.width($0[column]) }.max() ?? 0
      )
    }
    var shown = Array(columns.indices)
    func sum(_ widths: [Int]) -> Int { widths.reduce(0, +) + gap * max(0, widths.count - 1) }
    func least(_ column: Int) -> Int { min(natural[column], columns[column].least ?? .max) }
    while sum(shown.map(least)) > width,
      let last = shown.filter({ columns[$0].rank > 0 }).max(by: {
        columns[$0].rank < columns[$1].rank
      })
    {
      shown.removeAll { $0 == last }
    }
    var widths = shown.map { natural[$0] }
    // The widest that may be cut gives way first.
    var excess = sum(widths) - width
    while excess > 0,
      let place = widths.indices.filter({ widths[$0] > least(shown[$0]) })
        .max(by: { widths[$0] < widths[$1] })
    {
      widths[place] -= 1
      excess -= 1
    }
    return (shown, widths)
  }

  private func line(_ cells: [String], _ shown: [Int], _ widths: [Int], _ width: Int) -> String {
    var line = ""
    for (place, cell) in cells.enumerated() {
      let text = DisplayText.cut(cell, to: widths[place], more: more)
      if place > 0 { line += String(repeating: " ", count: gap) }
      line += DisplayText.pad(text, to: widths[place], right: columns[shown[place]].isNumber)
    }
    while line.last == " " { line.removeLast() }
    return DisplayText.cut(line, to: width, more: more)
  }
}
