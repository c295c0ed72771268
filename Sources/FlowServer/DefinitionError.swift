internal import FlowLanguage
internal import FlowWire

/// Why something cannot be defined, found or subscribed to.
struct DefinitionError: Error {
  var code: ErrorCode
  var message: String
  var place: Place?

  init(_ code: ErrorCode, _ message: String, place: Place? = nil) {
    self.code = code
    self.message = message
    self.place = place
  }

  static let draining = DefinitionError(
    .draining,
    "the server is shutting down; nothing new can be opened"
  )

  /// Says what `diagnostic` says of an expression that begins at `column` of the line, and how many more
  /// mistakes there are.
  init(_ diagnostic: Diagnostic, column: Int) {
    let place = Place(column: column + diagnostic.offset, length: diagnostic.length)
    let count = diagnostic.others.count
    let more = count == 0 ? "" : " (\(count) more mistake\(count == 1 ? "" : "s"))"
    self.init(.syntax, "\(place.column): \(diagnostic.text)\(more)", place: place)
  }
}

/// A part of a command line, in characters from 1.
struct Place {
  var column: Int
  var length: Int

  /// The line, or the part of it around the place, and carets below the place.
  func drawing(in line: String) -> [String] {
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
