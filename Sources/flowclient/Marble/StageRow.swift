/// What SHOW tells of one stage of a pipeline.
struct StageRow: Equatable {
  let number: String
  /// The stage as written.
  let text: String
  /// The figures by their names.
  let figures: [String: String]

  /// Reads `stage N TEXT in=N … demand=N`.
  init?(_ row: String) {
    var words = row.split(separator: " ", omittingEmptySubsequences: false)[...]
    guard words.count > 2, words.popFirst() == "stage", let number = words.popFirst(),
      Int(number) != nil
    else { return nil }
    var figures: [String: String] = [:]
    while let last = words.last, let equals = last.firstIndex(of: "="),
      Self.names.contains(String(last[..<equals])),
      last[last.index(after: equals)...].allSatisfy({ $0.isNumber || $0.isLetter })
    {
      figures[String(last[..<equals])] = String(last[last.index(after: equals)...])
      words.removeLast()
    }
    self.number = String(number)
    self.figures = figures
    text = words.joined(separator: " ")
  }

  private static let names: Set = [
    "in", "made", "out", "dropped", "held", "consumed", "left", "publishers", "demand",
  ]

  /// The stages as a table with a head, none of its lines wider than `width`.
  static func table(_ rows: [StageRow], width: Int, isASCII: Bool) -> [String] {
    let keys = ["in", "out", "demand", "held", "dropped"]
    let widths = keys.map { key in
      max(key.count, rows.map { $0.figures[key]?.count ?? 0 }.max() ?? 0)
    }
    let figures = widths.reduce(0) { $0 + $1 + 2 }
    let room = max(6, width - figures)
    func line(_ text: String, _ cells: [String]) -> String {
      let text = DisplayText.visible(text, isASCII: isASCII)
      let cut = DisplayText.cut(text, to: room, more: isASCII ? "~" : "…")
      let cells = zip(cells, widths).map { "  " + DisplayText.pad($0, to: $1, right: true) }
      return DisplayText.cut(DisplayText.pad(cut, to: room) + cells.joined(), to: width, more: "")
    }
    guard !rows.isEmpty else { return [] }
    let head = line("stage", keys)
    return [head]
      + rows.map { row in
        line("\(row.number) \(row.text)", keys.map { row.figures[$0] ?? "" })
      }
  }
}
