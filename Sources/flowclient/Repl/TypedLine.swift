import FlowLanguage
import FlowWire

/// A line being typed, up to the cursor, split into its verb, its words and its expression.
struct TypedLine {
  let characters: [Character]
  /// The first word that is no tag; empty if there is none.
  let word: String
  let wordStart: Int
  let verb: Verb?
  /// The place of the expression, if the line has reached one; it may be empty.
  let expression: Range<Int>?

  init(_ characters: some Sequence<Character>) {
    let characters = Array(characters)
    let words = characters.split(maxSplits: 2, whereSeparator: \.isWhitespace)
    let first = words.first?.first == "@" ? words.dropFirst().first : words.first
    self.characters = characters
    word = String(first ?? [])
    wordStart = first?.startIndex ?? characters.count
    verb = Verb(rawValue: word.uppercased())
    let line = String(characters).replacing("\n", with: " ")
    expression = Expression.range(inUnfinished: line)?.clamped(to: 0..<characters.count)
  }

  private var wordEnd: Int { wordStart + word.count }

  /// Whether the first word is all that is typed.
  var isFirstWord: Bool { wordEnd == characters.count }

  /// The text of the expression, on one line.
  var expressionText: [Character]? {
    expression.map { characters[$0].map { $0 == "\n" ? " " : $0 } }
  }

  /// Whether the cursor is in the expression.
  var isInExpression: Bool { expression?.upperBound == characters.count }

  /// The word at the cursor, which may be empty.
  var lastWord: (start: Int, text: String) {
    let start = (characters.lastIndex { $0.isWhitespace } ?? -1) + 1
    return (start, String(characters[start...]))
  }

  /// The number of words between the verb and the word at the cursor; an expression counts as one.
  var completeWords: Int {
    func count(_ range: Range<Int>) -> Int { characters[range].split { $0.isWhitespace }.count }
    let open = lastWord.text.isEmpty ? 0 : 1
    guard let expression else { return max(0, count(wordEnd..<characters.count) - open) }
    let before = count(wordEnd..<expression.lowerBound)
    guard !isInExpression else { return before }
    return before + 1 + count(expression.upperBound..<characters.count) - open
  }

  /// Whether Enter begins a further line: brackets are open, or the expression is missing.
  ///
  /// An empty last line ends the statement all the same.
  var continuesOnNextLine: Bool {
    guard let expression, let text = expressionText else { return false }
    if let end = characters.lastIndex(of: "\n"), characters[end...].allSatisfy(\.isWhitespace) {
      return false
    }
    guard let last = text.last(where: { !$0.isWhitespace }) else {
      return verb == .pipeline || verb == .run
    }
    return UnfinishedExpression(text, isName: { _ in false }).isInBrackets
      || (last == "." && expression.upperBound == characters.count)
  }
}
