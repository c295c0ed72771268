/// The search for an older line, as control-R begins it.
struct ReverseSearch: Equatable {
  private(set) var pattern = ""
  /// The line that was found, and where it stands among the entries.
  private(set) var found: (place: Int, line: String)?
  /// Whether nothing older has the pattern.
  private(set) var isFailed = false

  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.pattern == rhs.pattern && lhs.found?.place == rhs.found?.place
      && lhs.isFailed == rhs.isFailed
  }

  /// The index of the pattern's first character in the line that was found.
  var matchStart: Int? {
    guard let found, let range = found.line.firstRange(of: pattern) else { return nil }
    return found.line.distance(from: found.line.startIndex, to: range.lowerBound)
  }

  mutating func type(_ text: String, _ entries: [String]) {
    pattern += text
    search(entries, from: found?.place ?? entries.count - 1)
  }

  mutating func eraseLast(_ entries: [String]) {
    guard !pattern.isEmpty else { return }
    pattern.removeLast()
    search(entries, from: entries.count - 1)
  }

  /// Finds the next older line that has the pattern and differs.
  mutating func older(_ entries: [String]) {
    guard let found else { return search(entries, from: entries.count - 1) }
    search(entries, from: found.place - 1, otherThan: found.line)
  }

  private mutating func search(_ entries: [String], from start: Int, otherThan line: String? = nil)
  {
    guard !pattern.isEmpty else {
      found = nil
      isFailed = false
      return
    }
    var place = min(start, entries.count - 1)
    while place >= 0, !entries[place].contains(pattern) || entries[place] == line { place -= 1 }
    isFailed = place < 0
    if place >= 0 { found = (place, entries[place]) }
  }
}
