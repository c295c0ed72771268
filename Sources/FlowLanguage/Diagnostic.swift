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

  /// What kind of mistake it is, where that makes a difference to somebody.
  public private(set) var kind: Kind?

  /// The other mistakes in the same text.
  public private(set) var others: [Diagnostic] = []

  /// This mistake and the others, each by itself.
  public var all: [Diagnostic] {
    var alone = self
    alone.others = []
    return [alone] + others
  }

  /// A mistake that is told from others.
  public enum Kind: Sendable {
    /// Publishers stand on both sides or one side of a sign for values, which no name mends.
    case combinesPublishers
    /// A bracket or a quote lacks its other one.
    case unmatched
    /// No operator, or no function, is called so.
    case unknownWord
    /// A stage that ends a run stands in a pipeline.
    case endsRun
    /// The text is larger than is allowed, so the rest of it is not checked.
    case tooMuch
  }

  /// What a name that nothing is defined by was to be.
  public enum Unknown: Equatable, Sendable {
    /// Something to read.
    case source(String)
    /// The subject that a run's values go to.
    case target(String)
  }

  /// The message and the suggestion in one line.
  public var text: String {
    suggestion.map { "\(message); did you mean \"\($0.excerpt(200))\"?" } ?? message
  }

  init(_ message: String, at range: Range<Int>, suggestion: String? = nil) {
    // Whatever it quotes of the text, it fits on a line.
    self.message = message.excerpt(500)
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

  /// The same, as a mistake of a kind.
  func marked(_ kind: Kind) -> Diagnostic {
    var result = self
    result.kind = kind
    return result
  }

  /// The same, with more mistakes in the same text.
  func followed(by more: [Diagnostic]) -> Diagnostic {
    var result = self
    result.others += more
    return result
  }

  /// What is said of a sign for values that has a publisher beside it.
  static func combiningPublishers(with sign: String, at range: Range<Int>) -> Diagnostic {
    let instead = "join publishers with merge(with:), zip or combineLatest"
    return Diagnostic("\"\(sign)\" is for values; \(instead)", at: range)
      .marked(.combinesPublishers)
  }

  /// There is no `what` called `name`, of which `more` may be said.
  static func absent(
    _ what: String,
    _ name: String,
    _ more: String = "",
    at range: Range<Int>,
    suggestion: String? = nil
  ) -> Diagnostic {
    let message = "there is no \(what) \"\(name.excerpt())\"\(more)"
    let diagnostic = Diagnostic(message, at: range, suggestion: suggestion)
    return ["operator", "function"].contains(what) ? diagnostic.marked(.unknownWord) : diagnostic
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
    let suggestion = nearest(to: name, among: candidates)
    let more = suggestion == nil ? instead.map { ": \($0)" } ?? "" : ""
    guard let owner else {
      return .absent(what, name, more, at: range, suggestion: suggestion)
    }
    let message = "\(owner) has no \(what) \"\(name.excerpt())\"\(more)"
    return Diagnostic(message, at: range, suggestion: suggestion)
  }
}
