internal import FlowWire

/// A part of a line of a file, counted in characters from 1.
public struct FilePlace: Hashable, Sendable {
  /// The file's name, as it was given.
  public var file: String
  public var line: Int
  public var column: Int
  /// How many characters it is about.
  public var length: Int

  /// Makes a place.
  public init(file: String, line: Int, column: Int, length: Int) {
    self.file = file
    self.line = line
    self.column = column
    self.length = length
  }
}

/// What is to be said of a file: where, what, and what to do instead.
public struct Finding: Hashable, Error, Sendable {
  /// How bad it is.
  public enum Severity: String, Sendable {
    /// A server does not start with it.
    case error
    /// It is accepted, and probably not what was meant.
    case warning
  }

  public var severity: Severity
  /// The number of a warning, as in `W5`.
  public var code: String?
  /// What is wrong, in one line.
  public var message: String
  public var place: FilePlace
  /// The line of the file, as written.
  public var line: String

  /// Makes a finding.
  public init(
    _ severity: Severity,
    code: String? = nil,
    _ message: String,
    at place: FilePlace,
    in line: String
  ) {
    self.severity = severity
    self.code = code
    self.message = message
    self.place = place
    self.line = line
  }

  /// This finding with its line cut off behind `place`.
  var hidingRestOfLine: Finding {
    var finding = self
    let shown = line.prefix(place.column - 1 + place.length)
    finding.line = shown.count < line.count ? shown + "…" : line
    return finding
  }

  /// `FILE:LINE:COLUMN: error: text`, as compilers say it.
  public var headline: String {
    let number = code.map { " \($0)" } ?? ""
    let place = "\(place.file):\(place.line):\(place.column)"
    return FrameWriter.oneLine("\(place): \(severity.rawValue)\(number): \(message)")
  }

  /// The headline, the line or the part of it around the place, and carets below the place.
  public var report: String {
    let characters = line.map(Self.shown)
    let start = max(0, min(place.column - 1 - 60, characters.count))
    let end = min(characters.count, start + 100)
    let width = max(1, min(place.length, max(1, end - place.column + 1)))
    let blanks = String(repeating: " ", count: max(0, place.column - 1 - start))
    let carets = String(repeating: "^", count: width)
    guard !characters.isEmpty else { return headline }
    return "\(headline)\n  \(String(characters[start..<end]))\n  \(blanks)\(carets)"
  }

  /// In one column; what a terminal would obey stands there as a sign that something is there.
  private static func shown(_ character: Character) -> Character {
    if character == "\t" { return " " }
    let text = String(character)
    return FrameWriter.oneLine(text) == text ? character : "\u{FFFD}"
  }
}

extension Finding: Comparable {
  /// By file, then by place.
  public static func < (lhs: Finding, rhs: Finding) -> Bool {
    if lhs.place.file != rhs.place.file { return lhs.place.file < rhs.place.file }
    return (lhs.place.line, lhs.place.column, lhs.code ?? "")
      < (rhs.place.line, rhs.place.column, rhs.code ?? "")
  }
}
