/// The search for an older line (control-R).
struct ReverseSearch {
  private(set) var pattern = ""
  /// The found line, and its index among the entries.
  private(set) var found: (place: Int, line: String)?
  /// Whether no older line matches.
  private(set) var isFailed = false

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

  /// Finds the next older, different line that matches.
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
