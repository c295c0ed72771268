import Spelling

/// What is wrong with a pipeline's text, and where.
public struct Diagnostic: Error, Equatable, Sendable {
  /// What is wrong, without what may have been meant.
  public let message: String
  /// What may have been meant.
  public let suggestion: String?
  /// Where it begins, in characters from the start of the text.
  public let offset: Int
  /// How many characters it is about.
  public let length: Int

  /// The message and the suggestion in one line.
  public var text: String {
    suggestion.map { "\(message); did you mean \"\($0)\"?" } ?? message
  }

  init(_ message: String, at range: Range<Int>, suggestion: String? = nil) {
    self.message = message
    self.suggestion = suggestion
    offset = range.lowerBound
    length = range.count
  }

  /// There is no `what` called `name`; suggests the nearest of `candidates`, or else says what
  /// there is `instead`.
  static func unknown(
    _ what: String,
    _ name: String,
    at range: Range<Int>,
    among candidates: some Sequence<String>,
    instead: String? = nil
  ) -> Diagnostic {
    let message = "there is no \(what) \"\(name)\""
    if let suggestion = nearest(to: name, among: candidates) {
      return Diagnostic(message, at: range, suggestion: suggestion)
    }
    return Diagnostic(instead.map { "\(message): \($0)" } ?? message, at: range)
  }
}
