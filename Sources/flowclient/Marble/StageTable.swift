import FlowWire

/// The stages of a pipeline with their figures from SHOW.
enum StageTable {
  /// Returns a header and the rows, none wider than `width`.
  static func lines(_ rows: [Row], width: Int, isASCII: Bool) -> [String] {
    let keys = ["in", "out", "demand", "held", "dropped"]
    let widths = keys.map { key in
      max(key.count, rows.map { $0.fields[key]?.count ?? 0 }.max() ?? 0)
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
        line("\(row.name) \(row.text)", keys.map { row.fields[$0] ?? "" })
      }
  }
}
