/// Writes pictures to the terminal: only the lines that have changed.
struct TopScreen {
  private let surroundings: any Surroundings
  private let isColored: Bool
  private var last: [TopLine] = []
  private var size = TerminalSize(columns: 0, rows: 0)

  init(_ session: ClientSession) {
    surroundings = session.surroundings
    isColored = session.isColored
  }

  /// Shows lines that were made for a terminal of this size.
  mutating func show(_ lines: [TopLine], _ size: TerminalSize) {
    var text = ""
    if size != self.size {
      self.size = size
      last = []
      text += "\u{1b}[0m\u{1b}[2J"
    }
    for (row, line) in lines.enumerated() where row >= last.count || last[row] != line {
      // Erased first: behind a line that fills its row, its last character would be.
      text += "\u{1b}[\(row + 1);1H\u{1b}[2K\(line.shown(colored: isColored))"
    }
    last = lines
    if !text.isEmpty { surroundings.writeOutput(text) }
  }

  /// Forgets the last lines, as the screen shows something else.
  mutating func forget() { size = TerminalSize(columns: 0, rows: 0) }
}
