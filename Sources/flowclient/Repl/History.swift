/// The lines that were typed, the oldest first, and a place among them.
struct History {
  static let longest = 5000
  /// A longer line is not kept.
  static let longestLine = 16 * 1024

  private(set) var entries: [String]
  /// The index of the line that is shown; the count of lines for the one being typed.
  private var place: Int
  /// The line being typed, while older lines are shown.
  private var draft = ""

  init(_ entries: [String] = []) {
    self.entries = entries.suffix(Self.longest)
    place = self.entries.count
  }

  /// Whether a line may be kept: none that has a secret, or is nothing or too long.
  static func keeps(_ line: String) -> Bool {
    guard line.utf8.count <= longestLine, line.contains(where: { !$0.isWhitespace }) else {
      return false
    }
    // A blank before it keeps a line out, as in shells.
    guard line.first != " " else { return false }
    let words = line.split(maxSplits: 2) { $0.isWhitespace }
    let verb = words.first { !$0.hasPrefix("@") } ?? ""
    return !["AUTH", "LOGIN"].contains(verb.uppercased())
  }

  /// Adds a line that was sent.
  ///
  /// - Returns: whether it is to be written down.
  mutating func add(_ line: String) -> Bool {
    defer { leave() }
    guard Self.keeps(line), entries.last != line else { return false }
    entries.append(line)
    if entries.count > Self.longest { entries.removeFirst() }
    return true
  }

  /// Returns to the line being typed.
  mutating func leave() {
    place = entries.count
    draft = ""
  }

  /// The line before the one shown; `line` is what is shown.
  mutating func older(than line: String) -> String? {
    guard place > 0 else { return nil }
    if place == entries.count { draft = line }
    place -= 1
    return entries[place]
  }

  /// The line behind the one shown; the last is what was being typed.
  mutating func newer() -> String? {
    guard place < entries.count else { return nil }
    place += 1
    return place == entries.count ? draft : entries[place]
  }
}

// MARK: As a file

extension History {
  /// Reads a file: a line each, in which `\n` is a line end and `\\` a backslash.
  init(file bytes: [UInt8]) {
    let lines = bytes.split(separator: 10).suffix(Self.longest)
    var entries: [String] = []
    for line in lines {
      let text = Self.line(of: String(decoding: line, as: UTF8.self))
      if Self.keeps(text), entries.last != text { entries.append(text) }
    }
    self.init(entries)
  }

  /// The line of the file that stands for an entry, with its end.
  static func fileLine(_ entry: String) -> String {
    entry.replacing("\\", with: "\\\\").replacing("\n", with: "\\n") + "\n"
  }

  private static func line(of text: String) -> String {
    var result = ""
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped {
        result.unicodeScalars.append(scalar == "n" ? "\n" : scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
