package import FlowLanguage
package import FlowWire

/// The reason why something cannot be defined, found or subscribed to.
package struct DefinitionError: Error {
  package var code: ErrorCode
  package var message: String
  package var place: Place?

  package init(_ code: ErrorCode, _ message: String, place: Place? = nil) {
    self.code = code
    self.message = message
    self.place = place
  }

  /// Says what `diagnostic` says of an expression that begins at `column` of the line, with all of its
  /// mistakes.
  package init(_ diagnostic: Diagnostic, column: Int) {
    let place = Place(column: column + diagnostic.offset, length: diagnostic.length)
    let others = Self.text(of: diagnostic.others, column: column)
    self.init(.syntax, "\(place.column): \(diagnostic.text)\(others)", place: place)
  }

  /// The most bytes of the texts of further mistakes.
  private static let mostBytes = 600

  /// How many more mistakes there are, and each with its column as long as there is room.
  private static func text(of others: [Diagnostic], column: Int) -> String {
    guard !others.isEmpty else { return "" }
    var told: [String] = []
    var bytes = 0
    for other in others {
      let text = "\(column + other.offset): \(other.text)"
      bytes += text.utf8.count
      if bytes > mostBytes { break }
      told.append(text)
    }
    if told.count < others.count { told.append("…") }
    let count = "\(others.count) more mistake\(others.count == 1 ? "" : "s")"
    return " (\(count): \(told.joined(separator: "; ")))"
  }

  /// A part of a command line, in characters from 1.
  package struct Place: Sendable {
    package var column: Int
    package var length: Int

    /// The line, or the part of it around the place, and carets below the place.
    package func drawing(in line: String) -> [String] {
      let characters = Array(line)
      let start = max(0, min(column - 1 - 60, characters.count))
      let shown = String(characters[start..<min(characters.count, start + 100)])
      let carets = String(repeating: "^", count: max(1, min(length, 40)))
      return [
        "  \(FrameWriter.oneLine(shown))",
        "  " + String(repeating: " ", count: max(0, column - 1 - start)) + carets,
      ]
    }
  }
}
