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
  /// The name that nothing is defined by, if that is what is wrong.
  public private(set) var unknown: Unknown?

  /// Whether publishers stand on both sides or one side of a sign for values, which no name mends.
  public private(set) var combinesPublishers = false

  /// What a name that nothing is defined by was to be.
  public enum Unknown: Equatable, Sendable {
    /// Something to read.
    case source(String)
    /// The subject that a run's values go to.
    case target(String)
  }

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

  /// The same, because of a name.
  func because(_ unknown: Unknown) -> Diagnostic {
    var result = self
    result.unknown = unknown
    return result
  }

  /// What is said of a sign for values that has a publisher beside it.
  static func combiningPublishers(with sign: String, at range: Range<Int>) -> Diagnostic {
    let instead = "join publishers with merge(with:), zip or combineLatest"
    var result = Diagnostic("\"\(sign)\" is for values; \(instead)", at: range)
    result.combinesPublishers = true
    return result
  }

  /// There is no `what` called `name`, or `owner` has none; suggests the nearest of `candidates`, or
  /// else says what was expected `instead`.
  static func unknown(
    _ what: String,
    _ name: String,
    of owner: String? = nil,
    at range: Range<Int>,
    among candidates: some Sequence<String>,
    instead: String? = nil
  ) -> Diagnostic {
    let message = "\(owner.map { "\($0) has" } ?? "there is") no \(what) \"\(name)\""
    if let suggestion = nearest(to: name, among: candidates) {
      return Diagnostic(message, at: range, suggestion: suggestion)
    }
    return Diagnostic(instead.map { "\(message): \($0)" } ?? message, at: range)
  }
}
