/// An expression that is being typed: which brackets are open at its end, and what the parser expects there.
package struct UnfinishedExpression {
  /// A bracket or a quote that is open.
  package struct Bracket {
    /// One of `(`, `[`, `{` and `"`.
    package let sign: Character
    /// The place where the bracket's call begins; the bracket's own place without a call.
    package let start: Int
    /// The source or operator that is called.
    package internal(set) var entry: OperatorEntry?
    /// The labels of the arguments that have begun; `nil` for an argument without one.
    package internal(set) var labels: [String?] = []
    /// Whether the bracket belongs to any call.
    var isCall = false

    init(sign: Character, start: Int) {
      self.sign = sign
      self.start = start
    }
  }

  /// The kinds of words that may stand next.
  package enum Expected: Equatable, Sendable {
    /// A publisher, such as the name of a subject.
    case publisher
    /// A value in a closure.
    case value
    /// The name of an operator.
    case stage
    /// The name of a member or a function of the value that these members lead to; `nil` for the result of
    /// a call.
    case member([String]?)
    /// The name of a member behind others in a key path.
    case keyPath([String])
  }

  package let characters: [Character]
  /// The kind of word that continues the expression; `nil` after a mistake, or if no word does.
  package let expected: Expected?
  /// The mistake because of which the text cannot be cut into tokens.
  private let unreadable: Diagnostic?
  private let state: UnfinishedState

  /// Parses `characters`, which may end anywhere.
  package init(_ characters: [Character], isName: @escaping (String) -> Bool) {
    self.characters = characters
    var lexer = Lexer(characters, in: 0..<characters.count, isName: isName)
    lexer.isUnfinished = true
    do throws(Diagnostic) {
      let tokens = try lexer.tokens()
      var parser = Parser(characters: characters, tokens: tokens, depth: 0)
      parser.unfinished = UnfinishedState(isName: isName, openString: lexer.openString)
      _ = try? parser.readUnfinished()
      state = parser.unfinished ?? UnfinishedState(isName: isName, openString: nil)
      unreadable = nil
    } catch {
      state = UnfinishedState(isName: isName, openString: nil)
      unreadable = error
    }
    expected = state.expected
  }

  /// The brackets and quotes that are open at the end, the outermost first.
  package var open: [Bracket] { state.open }
  /// The first closing bracket that closes nothing.
  package var stray: Int? { state.stray }
  /// Whether a bracket is open, and not only quotes.
  package var isInBrackets: Bool { open.contains { $0.sign != "\"" } }

  /// Whether the innermost bracket, or its part after the last comma, is still empty.
  package var isAtBeginning: Bool {
    guard case .symbol(let sign) = state.last?.kind else { return false }
    return ["(", "[", "{", ","].contains(sign)
  }

  /// The brackets and quotes that close all that is open.
  package var closers: String {
    open.reversed().map { ["(": ")", "[": "]", "{": "}"][$0.sign] ?? "\"" }.joined()
  }

  // MARK: The complete part

  /// Whether a word at `place` may turn out to be a parameter of a closure: `{ total, order`.
  package func mayBeParameter(_ place: Int) -> Bool {
    state.parameters.map { place >= $0 } ?? false
  }

  /// The start of the unfinished call or of the last word; the text before it is complete.
  package var endOfComplete: Int {
    if let unreadable {
      let end = unreadable.offset + unreadable.length
      return end < endOfText ? endOfText : unreadable.offset
    }
    if let first = open.first { return first.start }
    if let word = lastWord { return word.isEmpty ? word.lowerBound - 1 : word.lowerBound }
    let end = endOfText
    let start = Self.startOfWord(before: end, in: characters, and: "-/*")
    if start < end { return start }
    guard let closed = state.closed, closed.upperBound == end else { return end }
    return closed.lowerBound
  }

  /// The end of the text without the blanks there.
  package var endOfText: Int { (characters.lastIndex { !$0.isWhitespace } ?? -1) + 1 }

  /// The word that the text ends in; empty behind a dot.
  package var lastWord: Range<Int>? {
    let end = characters.count
    let start = Self.startOfWord(before: end, in: characters, and: "-/*")
    return start < end || characters.last == "." ? start..<end : nil
  }

  /// Returns the start of the word that ends at `end`; `signs` count as letters.
  static func startOfWord(
    before end: Int,
    in characters: [Character],
    and signs: String = ""
  ) -> Int {
    let word = characters[..<end].reversed().prefix {
      $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" || signs.contains($0)
    }
    return end - word.count
  }
}

extension UnfinishedState {
  /// The kind of word that continues the expression.
  fileprivate var expected: UnfinishedExpression.Expected? {
    switch wanted {
    case .expression: needsPublisher ? .publisher : .value
    case .member(let base): isPublisher(base) ? .stage : .member(base.path)
    case .keyPath(let steps): .keyPath(steps.compactMap(\.name))
    case nil: nil
    }
  }
}

extension PathStep {
  fileprivate var name: String? {
    if case .member(let name) = self { name } else { nil }
  }
}

extension Syntax {
  /// The names of the members that lead from a parameter to it; `nil` if it is something else.
  fileprivate var path: [String]? {
    switch kind {
    case .parameter, .name: []
    case .member(let base, let name): base.path.map { $0 + [name.text] }
    // A value with `!` behind it has a message for null.
    case .element(let base, _), .infix("??", let base, _): base.path
    default: nil
    }
  }
}

/// The word at the end of an expression that is being typed, and the expression before it.
package struct UnfinishedWord {
  package let start: Int
  package let text: String
  /// The expression before the word.
  package let before: UnfinishedExpression

  /// Finds the word that `characters` end in, which may be empty.
  ///
  /// In a subject's name, hyphens and slashes count as letters.
  package init(_ characters: [Character], isName: @escaping (String) -> Bool) {
    let end = characters.count
    var start = UnfinishedExpression.startOfWord(before: end, in: characters)
    var before = UnfinishedExpression(Array(characters[..<start]), isName: isName)
    let startOfName = UnfinishedExpression.startOfWord(before: end, in: characters, and: "-/")
    if startOfName < start {
      let other = UnfinishedExpression(Array(characters[..<startOfName]), isName: isName)
      if other.expected == .publisher { (start, before) = (startOfName, other) }
    }
    self.start = start
    text = String(characters[start...])
    self.before = before
  }
}
