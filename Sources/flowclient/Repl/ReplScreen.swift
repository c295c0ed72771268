/// Keeps a picture below all output at the foot of the terminal, writing only changes.
struct ReplScreen {
  let colors: ReplColors
  /// Text to print above the picture, with its line ends.
  var output = ""
  private var last: ReplPicture?
  /// The width of the terminal when the last picture was shown.
  private var columns = 0

  init(_ colors: ReplColors) { self.colors = colors }

  /// Returns the output that prints `output` and replaces the last picture with `picture`.
  mutating func draw(_ picture: ReplPicture, columns: Int) -> String {
    let text = output.isEmpty ? "" : flush()
    return text + show(picture, columns: columns)
  }

  /// Returns the output that erases the picture and prints `output`.
  mutating func flush() -> String {
    defer { output = "" }
    return erase() + output
  }

  /// Returns the output that replaces the last picture with `picture`.
  mutating func show(_ picture: ReplPicture, columns: Int) -> String {
    var text = ""
    if last != nil, columns != self.columns { text = erase(columns: columns) }
    self.columns = columns
    let old = last?.rows ?? [[]]
    var row = last?.cursorRow ?? 0
    var column = last?.cursorColumn ?? 0
    if last == picture { return text }
    for (number, cells) in picture.rows.enumerated() {
      guard number < old.count else {
        text += Self.move(&row, to: number - 1)
        text += "\r\n\(drawn(cells[...]))"
        (row, column) = (number, -1)
        continue
      }
      guard cells != old[number] else { continue }
      let same = zip(cells, old[number]).prefix { $0 == $1 }.count
      let start = cells[..<same].reduce(0) { $0 + $1.width }
      text += Self.move(&row, to: number)
      if start != column { text += Self.column(start) }
      // Overwriting one half of a wide character leaves the other.
      let isPlain = (cells[same...] + old[number][same...]).allSatisfy { $0.width == 1 }
      let isShorter = cells.width < old[number].width
      if !isPlain { text += "\u{1b}[K" }
      text += drawn(cells[same...], from: start)
      if isPlain, isShorter { text += "\u{1b}[K" }
      column = cells.contains(where: \.isUncertain) ? -1 : cells.width
    }
    if old.count > picture.rows.count {
      text += Self.move(&row, to: picture.rows.count) + "\r\u{1b}[J"
      column = 0
    }
    text += Self.move(&row, to: picture.cursorRow)
    if column != picture.cursorColumn { text += Self.column(picture.cursorColumn) }
    last = picture
    return text
  }

  /// Returns the output that erases the picture and moves the cursor to its start.
  mutating func erase(columns: Int? = nil) -> String {
    guard let last else { return "" }
    self.last = nil
    // A narrower terminal has wrapped the picture.
    let width = max(1, columns ?? self.columns)
    func height(_ columns: Int) -> Int { max(1, (columns + width - 1) / width) }
    let above = last.rows[..<last.cursorRow].reduce(0) { $0 + height($1.width) }
    var row = above + last.cursorColumn / width
    return Self.move(&row, to: 0) + "\r\u{1b}[J"
  }

  /// Returns the output that keeps the picture and moves the cursor below it.
  mutating func leave() -> String {
    guard let last else { return "" }
    self.last = nil
    var row = last.cursorRow
    return Self.move(&row, to: last.rows.count - 1) + "\r\n"
  }

  /// Forgets the last picture, because the screen shows something else.
  mutating func forget() { last = nil }

  private func drawn(_ cells: ArraySlice<ReplCell>, from start: Int = 0) -> String {
    var text = ""
    var style = ReplStyle.plain
    var column = start
    for cell in cells {
      if cell.style != style {
        text += colors.change(from: style, to: cell.style)
        style = cell.style
      }
      text += cell.glyph
      column += cell.width
      if cell.isUncertain { text += Self.column(column) }
    }
    return text + colors.change(from: style, to: .plain)
  }

  private static func move(_ row: inout Int, to target: Int) -> String {
    defer { row = target }
    if target == row { return "" }
    return target < row ? "\u{1b}[\(row - target)A" : "\u{1b}[\(target - row)B"
  }

  private static func column(_ column: Int) -> String {
    column == 0 ? "\r" : "\u{1b}[\(column + 1)G"
  }
}
