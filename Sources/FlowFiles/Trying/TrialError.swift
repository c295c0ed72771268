internal import FlowLanguage

/// Why there is no tape, and which part of the query is to blame.
public struct TrialError: Error, Equatable, Sendable {
  /// What is wrong, as the server says it.
  public var text: String
  /// Where, if it is in one place.
  public var place: Place?
  /// Whether it is about the expression or else the row that begins so; `ask` for the demand.
  public var row: String?
  /// The other mistakes in the expression.
  public var others: [TrialError] = []

  /// A place in the expression or in a row.
  public struct Place: Equatable, Sendable {
    /// In characters of all the text, from 1.
    public var column: Int
    /// From 1.
    public var line: Int
    /// In characters of that line, from 1.
    public var columnInLine: Int
    /// How many characters it is about.
    public var length: Int
  }

  init(_ text: String) { self.text = text }

  /// What is wrong with `expression`.
  init(_ diagnostic: Diagnostic, in expression: String) {
    text = diagnostic.text
    let before = expression.prefix(diagnostic.offset)
    let lineStart = before.lastIndex(where: \.isNewline).map { before.index(after: $0) }
    place = Place(
      column: diagnostic.offset + 1,
      line: before.count(where: \.isNewline) + 1,
      columnInLine: before.distance(from: lineStart ?? before.startIndex, to: before.endIndex) + 1,
      length: diagnostic.length
    )
    others = diagnostic.others.map { TrialError($0, in: expression) }
  }

  /// What is wrong with a row, in which `shift` characters stand before the text that is judged.
  init(_ finding: Finding, inRow row: String, shift: Int = 0) {
    text = finding.message
    self.row = row
    let column = max(1, finding.place.column - shift)
    place = Place(column: column, line: 1, columnInLine: column, length: finding.place.length)
  }

  /// What is wrong with a row as a whole.
  init(_ text: String, inRow row: String) {
    self.text = text
    self.row = row
  }
}
