/// All that is to be seen at the foot of the terminal, and how it is laid out.
struct ReplView {
  var prompt = "flow> "
  var characters: [Character] = []
  /// The number of characters before the cursor.
  var cursor = 0
  /// The grey text behind the line.
  var hint = ""
  var mistake: Diagnosis?
  /// A part of the text to be shown as found.
  var match: Range<Int>?
  /// Rows below the text.
  var below: [String] = []
  var isColored = true

  /// The start of a row in the text, and its indent.
  private struct Row {
    var start: Int
    var indent: Int
  }

  /// The rows for a terminal of this size; its last column stays free, so that nothing wraps.
  func picture(_ size: TerminalSize) -> ReplPicture {
    let width = max(size.columns - 1, 8)
    let (rows, place) = self.rows(width)
    let foot = self.foot(width).prefix(max(0, size.rows / 2))
    let caret = mistake.map { caretRows($0, rows, width) }
    let most = max(1, size.rows - 1 - foot.count - (caret?.rows.count ?? 0))
    let first = rows.count <= most ? 0 : max(0, min(place.row - most / 2, rows.count - most))
    let last = min(rows.count, first + most)
    var picture = ReplPicture()
    for number in first..<last {
      if number == place.row { picture.cursorRow = picture.rows.count }
      let end = number + 1 < rows.count ? rows[number + 1].start : characters.count
      picture.rows.append(cells(rows[number], to: end, isFirst: number == 0))
      if let caret, caret.row == number { picture.rows += caret.rows }
    }
    if isColored, last == rows.count, !hint.isEmpty {
      addHint(to: &picture.rows[lastTextRow(picture, caret, last)], width)
    }
    picture.rows += foot
    picture.cursorColumn = place.column
    return picture
  }

  private func lastTextRow(
    _ picture: ReplPicture,
    _ caret: (row: Int, rows: [[ReplCell]])?,
    _ last: Int
  ) -> Int {
    let below = caret.map { $0.row == last - 1 ? $0.rows.count : 0 } ?? 0
    return picture.rows.count - 1 - below
  }

  // MARK: The text

  /// Returns the starts of the rows, and the place of the cursor.
  private func rows(_ width: Int) -> ([Row], (row: Int, column: Int)) {
    let indent = DisplayText.width(prompt)
    var rows = [Row(start: 0, indent: indent)]
    var column = indent
    var place = (row: 0, column: indent)
    for (index, character) in characters.enumerated() {
      if index == cursor { place = (rows.count - 1, column) }
      if character == "\n" {
        rows.append(Row(start: index + 1, indent: indent))
        column = indent
        continue
      }
      let next = ReplCell.width(of: character)
      if column + next > width {
        rows.append(Row(start: index, indent: 0))
        column = 0
        if index == cursor { place = (rows.count - 1, 0) }
      }
      column += next
    }
    if cursor >= characters.count { place = (rows.count - 1, column) }
    return (rows, place)
  }

  private func cells(_ row: Row, to end: Int, isFirst: Bool) -> [ReplCell] {
    var cells: [ReplCell] = []
    if isFirst {
      cells = ReplCell.cells(prompt, .prompt)
    } else if row.indent > 0 {
      let dots = DisplayText.pad("... ", to: row.indent, right: true)
      cells = ReplCell.cells(dots, .prompt)
    }
    for index in row.start..<max(row.start, end) where characters[index] != "\n" {
      cells.append(ReplCell(characters[index], style(of: index)))
    }
    return cells
  }

  private func style(of index: Int) -> ReplStyle {
    if let match, match.contains(index) { return .match }
    if let mistake, mistake.range.contains(index) { return .mistake }
    return .plain
  }

  // MARK: What is said of it

  /// The carets below a mistake and what is wrong, with the number of the row that it is in.
  private func caretRows(
    _ mistake: Diagnosis,
    _ rows: [Row],
    _ width: Int
  ) -> (row: Int, rows: [[ReplCell]]) {
    let number = rows.lastIndex { $0.start <= mistake.range.lowerBound } ?? 0
    let row = rows[number]
    let end = number + 1 < rows.count ? rows[number + 1].start : characters.count
    let start = min(mistake.range.lowerBound, end)
    func columns(_ range: Range<Int>) -> Int {
      characters[range].reduce(0) { $0 + ($1 == "\n" ? 0 : ReplCell.width(of: $1)) }
    }
    let column = row.indent + columns(row.start..<max(row.start, start))
    let length = max(1, columns(start..<max(start, min(end, mistake.range.upperBound))))
    let carets = String(repeating: " ", count: column) + String(repeating: "^", count: length)
    let message = DisplayText.visible(mistake.message)
    let one = "\(carets) \(message)"
    if DisplayText.width(one) <= width { return (number, [ReplCell.cells(one, .mistake)]) }
    let lines = [carets] + DisplayText.fold(message, to: width).prefix(3)
    return (number, lines.map { ReplCell.cells(DisplayText.cut($0, to: width), .mistake) })
  }

  private func addHint(to row: inout [ReplCell], _ width: Int) {
    let room = width - row.width
    guard room > 3 else { return }
    row += ReplCell.cells(DisplayText.cut(DisplayText.visible(hint), to: room), .hint)
  }

  /// Returns the rows below the text; without colours they include the hint, which would look like
  /// text.
  private func foot(_ width: Int) -> [[ReplCell]] {
    let hints = isColored || hint.isEmpty ? [] : ["  (\(DisplayText.visible(hint).trimmingBlanks))"]
    return (hints + below).map { ReplCell.cells(DisplayText.cut($0, to: width), .hint) }
  }
}
