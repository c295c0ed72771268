import FlowWire

/// All that `marble` shows at one moment, as lines; a pure function.
struct MarblePicture {
  var title: String
  var lanes: [Lane] = []
  var stages: [Row] = []
  /// The present problem.
  var trouble: String?
  /// A remark below the lanes.
  var note: String?
  var isASCII = false

  /// The lines for a terminal of this size, none wider than it.
  func lines(
    columns: Int,
    rows: Int,
    column: UInt64,
    from start: UInt64,
    to now: UInt64
  ) -> [String] {
    var lines = content(columns: columns, column: column, from: start, to: now)
    let foot = cut(trouble ?? "q quits", columns)
    let room = max(0, rows - 1)
    if lines.count > room { lines = Array(lines.prefix(max(0, room - 1))) + [cut("…", columns)] }
    lines += Array(repeating: "", count: max(0, room - lines.count))
    return Array((lines + [foot]).suffix(rows))
  }

  /// All of the picture, of which no line is wider than `columns`: what stays on the screen at the end.
  func content(columns: Int, column: UInt64, from start: UInt64, to now: UInt64) -> [String] {
    let drawing = LaneDrawing(width: columns, isASCII: isASCII, column: column)
    var lines = [cut(title, columns), ""]
    lines += drawing.lines(lanes, from: start, to: now)
    lines.append(drawing.axis(labels: lanes.map(\.label)))
    lines += lanes.compactMap(Self.remark).map { cut($0, columns) }
    if let note { lines.append(cut(note, columns)) }
    if !stages.isEmpty {
      lines += [""] + StageTable.lines(stages, width: columns, isASCII: isASCII)
    }
    return lines
  }

  private func cut(_ text: String, _ columns: Int) -> String {
    let text = DisplayText.visible(text, isASCII: isASCII)
    return DisplayText.cut(text, to: columns, more: isASCII ? "~" : "…")
  }

  /// Returns the remark on a lane: how it failed, and how many values were left out.
  static func remark(_ lane: Lane) -> String? {
    var parts: [String] = []
    if lane.leftOut > 0 {
      parts.append("left out \(lane.leftOut) of \(lane.leftOut + lane.values) values")
    }
    if case .failed(let text)? = lane.end?.what { parts.append("failed: \(text)") }
    return parts.isEmpty ? nil : "\(lane.label): " + parts.joined(separator: "; ")
  }
}
