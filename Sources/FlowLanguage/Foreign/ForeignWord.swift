/// A word of another library or language, and what there is here instead.
///
/// The rows say what errors suggest and what the page `docs/words.md` lists. A suggestion can be pasted
/// where the error points.
public struct ForeignWord: Sendable {
  /// Where it stands.
  public enum Place: Sendable, CaseIterable {
    /// Behind a publisher, with parentheses or a closure.
    case stage
    /// At the beginning of a pipeline, with parentheses.
    case source
    /// At the beginning of a pipeline, by itself.
    case type
    /// In a closure: a function or property of a value.
    case function
    /// In a closure, by itself: a sign or a word.
    case sign
  }

  enum Instead: Sendable {
    /// A word that takes its place; what is in the parentheses stays.
    case name(String)
    /// What takes the place of the whole call; nil where its arguments fit nothing.
    case call(@Sendable (ForeignCall) -> String?)
    /// The same, for what stands before its dot, too.
    case whole(@Sendable (ForeignCall) -> String?)
    /// Behind a `map` whose closure makes a publisher: what the two are.
    case flattening(String)
    /// Nothing that could be pasted.
    case advice(String)
  }

  public let word: String
  public let place: Place
  /// A pipeline that has it.
  public let example: String
  let instead: Instead

  init(
    _ word: String,
    _ place: Place,
    _ example: String,
    _ instead: Instead
  ) {
    self.word = word
    self.place = place
    self.example = example
    self.instead = instead
  }

  /// What there is instead, for people.
  public var hint: String {
    switch instead {
    case .name(let name): name
    case .call(let make), .whole(let make): make(ForeignCall()) ?? ""
    case .flattening(let name): "\(name) { … } instead of map { … }.\(word)()"
    case .advice(let advice): advice
    }
  }

  /// Whether the hint is something to paste.
  public var isPasteable: Bool { if case .advice = instead { false } else { true } }

  // MARK: Looking up

  /// All of them, as the page lists them.
  public static let all = stages + sources + types + functions + signs

  private static let byPlace = Dictionary(grouping: all, by: \.place)
    .mapValues { Dictionary($0.map { ($0.word, $0) }) { first, _ in first } }

  /// The row of a word that stands there, if there is one.
  static func row(_ word: String, _ place: Place) -> ForeignWord? { byPlace[place]?[word] }
}

extension ForeignWord {
  /// The labels of arguments elsewhere, each with what may be meant by it.
  static let labels = [
    "maxConcurrent": ["maxPublishers"], "maxConcurrency": ["maxPublishers"],
    "concurrency": ["maxPublishers"], "concurrent": ["maxPublishers"],
    "bufferSize": ["replay", "size"], "count": ["size", "replay"], "capacity": ["size"],
    "dueTime": ["for"], "timeSpan": ["for"], "interval": ["every", "for"], "seconds": ["for"],
    "period": ["every"], "keySelector": ["by"], "key": ["by"], "on": ["scheduler"],
    "onOverflow": ["whenFull"], "until": ["untilOutputFrom"],
  ]

  /// Whether all that can be said of an operator of this name is what to do instead.
  static func isAdvised(against name: String) -> Bool {
    row(name, .stage).map { !$0.isPasteable } ?? false
  }
}

extension ForeignWord {
  /// Whether an operator of this name makes one of the `map` before it, which is wrong by itself.
  static func isFlattening(_ name: String) -> Bool {
    if case .flattening = row(name, .stage)?.instead { true } else { false }
  }
}

// MARK: - What is said

extension ForeignWord {
  /// What is said of the word at `name`, called so; it has the place from `start` to `end`.
  func diagnostic(
    _ name: Identifier,
    _ call: ForeignCall = ForeignCall(),
    from start: Int? = nil,
    to end: Int? = nil
  ) -> Diagnostic {
    let whole = name.range.lowerBound..<(end ?? name.range.upperBound)
    switch instead {
    case .name(let other):
      return absent(name, at: name.range, suggestion: other)
    case .call(let make):
      guard let suggestion = make(call) else { break }
      return absent(name, at: whole, suggestion: suggestion)
    case .whole(let make):
      guard let suggestion = make(call) else { break }
      let range = (start ?? whole.lowerBound)..<whole.upperBound
      return absent(name, at: range, suggestion: suggestion)
    case .flattening(let other):
      guard let (start, closure) = call.map else { break }
      let range = start..<whole.upperBound
      return absent(name, at: range, suggestion: "\(other) \(closure)")
    case .advice: break
    }
    switch place {
    case .stage, .source, .type:
      return Diagnostic("\(word) is not available in a pipeline: \(advice)", at: name.range)
    case .function:
      return Diagnostic("\(word) is not available in a closure: \(advice)", at: name.range)
    case .sign:
      return Diagnostic("\"\(word)\" is not supported: \(advice)", at: name.range)
    }
  }

  private var advice: String { isPasteable ? "use \(hint)" : hint }

  private func absent(_ name: Identifier, at range: Range<Int>, suggestion: String) -> Diagnostic {
    let (what, called) =
      switch place {
      case .stage: ("operator", name.text)
      case .source, .type: ("source", name.text)
      case .function: ("function", name.text)
      case .sign: (word.first?.isLetter ?? false ? "word" : "operator", word)
      }
    return .absent(what, called, at: range, suggestion: suggestion)
  }
}
