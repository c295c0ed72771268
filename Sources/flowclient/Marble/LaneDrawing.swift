/// How lanes look: a column for each piece of time, the newest one at the right; a pure function.
///
///     orders   ------1---2----[3 4]----●●●--|
///     totals   ------1---3----(12)------●--●|
///
/// A value ends in the column of its time. One that has no room is a dot. Several in one column are in
/// brackets, or their number is, or they are a square; `~` says that there were values which were left out.
struct LaneDrawing {
  /// The number of columns, with the names.
  let width: Int
  let isASCII: Bool
  /// The time of a column, in nanoseconds.
  let column: UInt64

  /// The columns of the names in front.
  func labelWidth(_ labels: [String]) -> Int {
    let longest = labels.map(DisplayText.width).max() ?? 0
    return min(longest, max(4, width / 4))
  }

  /// The lines, one for each lane, none wider than `width`.
  func lines(_ lanes: [Lane], from start: UInt64, to now: UInt64) -> [String] {
    let labels = lanes.map { DisplayText.visible($0.label, isASCII: isASCII) }
    let labelWidth = labelWidth(labels)
    return zip(lanes, labels).map { lane, label in
      let name = DisplayText.cut(label, to: labelWidth, more: more)
      let cells = cells(of: lane, width - labelWidth - 1, from: start, to: now)
      return DisplayText.pad(name, to: labelWidth) + " " + cells
    }
  }

  /// The line with the times, as wide as the lanes.
  func axis(labels: [String]) -> String {
    let labelWidth = labelWidth(labels.map { DisplayText.visible($0, isASCII: isASCII) })
    let count = width - labelWidth - 1
    guard count > 8 else { return "" }
    var marks = Array(repeating: Character(" "), count: count)
    func write(_ text: String, endingAt last: Int) {
      let first = last - text.count + 1
      guard first >= 0, last < count else { return }
      for (place, character) in zip(first..., text) { marks[place] = character }
    }
    write("now", endingAt: count - 1)
    let second = max(1, 1_000_000_000 / Int(column))
    let step = count > 100 ? 2 : 1
    var seconds = step
    while seconds * second < count {
      write("-\(seconds)s", endingAt: count - 1 - seconds * second)
      seconds += step
    }
    return String(repeating: " ", count: labelWidth + 1) + String(marks)
  }

  /// The sign in the place of text that is cut off.
  var more: String { isASCII ? "~" : "…" }

  /// The most values of one column that are listed.
  private static let mostListed = 6

  private var dot: String { isASCII ? "*" : "●" }
  private var square: String { isASCII ? "#" : "■" }

  // MARK: One lane

  private func cells(
    of lane: Lane,
    _ count: Int,
    from start: UInt64,
    to now: UInt64
  ) -> String {
    guard count > 0 else { return "" }
    let last = Int(now / column)
    let first = last - count + 1
    var columns: [Int: [Lane.Happening]] = [:]
    for event in lane.events {
      let place = min(Int(event.time / column), last)
      if place >= first { columns[place, default: []].append(event.what) }
    }
    let begin = Int(start / column)
    let end = lane.end.map { Int($0.time / column) } ?? .max
    var text = ""
    var used = first
    func fill(upTo place: Int) {
      while used < place {
        text += begin <= used && used <= end ? "-" : " "
        used += 1
      }
    }
    for place in columns.keys.sorted() {
      let room = place - used + 1
      let cell = cell(columns[place] ?? [], room, isFirst: used == first)
      fill(upTo: place - DisplayText.width(cell) + 1)
      text += cell
      used = place + 1
    }
    fill(upTo: last + 1)
    return text
  }

  /// Returns the text of a column, in at most `room` columns.
  private func cell(_ all: [Lane.Happening], _ room: Int, isFirst: Bool) -> String {
    let values = all.compactMap { if case .value(let text) = $0 { text } else { nil } }
    var signs: [String] = []
    switch values.count {
    case 0: break
    case 1:
      let text = DisplayText.visible(values[0], isASCII: isASCII)
      signs = [DisplayText.cut(text, to: max(8, width / 6), more: more), dot]
    default:
      let few = values.prefix(Self.mostListed).joined(separator: " ")
      let text = DisplayText.visible(few, isASCII: isASCII)
      let isShort = values.count <= Self.mostListed && DisplayText.width(text) <= max(6, width / 6)
      signs = (isShort ? ["[\(text)]"] : []) + ["(\(values.count))", square]
    }
    if let end = all.last(where: { $0.isEnd }) {
      let sign = end == .finished ? "|" : "^"
      signs = signs.map { $0 + sign } + [sign]
    } else if signs.isEmpty {
      signs = ["~"]
    }
    // What is longer than a sign keeps away from what is before it.
    return signs.first {
      let width = DisplayText.width($0)
      return width == 1 || width + (isFirst ? 0 : 1) <= room
    } ?? "^"
  }
}

extension Lane.Happening {
  fileprivate var isEnd: Bool {
    switch self {
    case .finished, .failed: true
    case .value, .leftOut: false
    }
  }
}
