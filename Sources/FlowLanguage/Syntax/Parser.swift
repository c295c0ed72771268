import Spelling

/// Makes the tree of a pipeline's text.
struct Parser {
  let characters: [Character]
  var tokens: [Lexeme]
  var position = 0
  var depth: Int
  /// Whether `{` after an expression begins a block and not a trailing closure.
  var inCondition = false
  /// The mistakes inside brackets that it has skipped.
  var unread: [Diagnostic] = []
  /// What is open and expected, if the text may end anywhere.
  var unfinished: UnfinishedState?

  /// The most characters a text may have.
  static let longest = 16 * 1024
  /// The deepest nesting of brackets and operators inside the whole expression.
  static let deepest = 64
  /// The most stages, calls, members and operators on one way down the tree.
  static let longestChain = 256

  /// The tree of `text`.
  static func parse(
    _ text: String,
    isName: @escaping (String) -> Bool
  ) throws(Diagnostic) -> Syntax {
    let (syntax, unread) = try read(text, isName: isName)
    if let mistake = unread.first { throw mistake }
    return syntax
  }

  /// The tree of `text`; a stage whose brackets cannot be read has one argument, with the mistake.
  static func stages(
    _ text: String,
    isName: @escaping (String) -> Bool
  ) throws(Diagnostic) -> Syntax {
    try read(text, isName: isName).syntax
  }

  /// The tree of a part of a text that is `depth` levels deep in others.
  static func parse(
    _ characters: [Character],
    in range: Range<Int>,
    depth: Int,
    readsLevels: Bool = true,
    isName: @escaping (String) -> Bool = { _ in false }
  ) throws(Diagnostic) -> Syntax {
    let (syntax, unread) = try read(
      characters,
      in: range,
      depth: depth,
      readsLevels: readsLevels,
      isName: isName
    )
    if let mistake = unread.first { throw mistake }
    return syntax
  }

  private static func read(
    _ text: String,
    isName: @escaping (String) -> Bool
  ) throws(Diagnostic) -> (syntax: Syntax, unread: [Diagnostic]) {
    guard text.utf8.count <= longest else {
      throw Diagnostic("the text is longer than 16 KiB", at: 0..<text.count)
    }
    let characters = Array(text)
    return try read(
      characters,
      in: 0..<characters.count,
      depth: 0,
      readsLevels: true,
      isName: isName
    )
  }

  private static func read(
    _ characters: [Character],
    in range: Range<Int>,
    depth: Int,
    readsLevels: Bool,
    isName: @escaping (String) -> Bool
  ) throws(Diagnostic) -> (syntax: Syntax, unread: [Diagnostic]) {
    var lexer = Lexer(characters, in: range, readsLevels: readsLevels, isName: isName)
    var parser = Parser(characters: characters, tokens: try lexer.tokens(), depth: depth)
    if depth == 0, let query = parser.query { throw query }
    do throws(Diagnostic) {
      return (try parser.whole(), parser.unread)
    } catch {
      // Brackets that could not be read may be the cause of any later mistake.
      throw parser.unread.first ?? error
    }
  }

  mutating func whole() throws(Diagnostic) -> Syntax {
    let syntax = try expression()
    guard token.kind == .end else { throw behindTheEnd }
    return syntax
  }

  var token: Lexeme { tokens[position] }

  func unexpected(_ wanted: String) -> Diagnostic {
    if let diagnostic = foreign { return diagnostic }
    let found = token.kind == .end ? "the end of the text" : "\"\(text(token.range).excerpt())\""
    return Diagnostic("expected \(wanted), found \(found)", at: token.range)
  }

  func text(_ range: Range<Int>) -> String { String(characters[range]) }

  func peek(_ symbol: String) -> Bool { token.kind == .symbol(symbol) }

  func peekWord(_ word: String) -> Bool { token.kind == .identifier(word) }

  mutating func advance() {
    if unfinished != nil {
      let passed = token
      unfinished?.pass(passed)
    }
    position = min(position + 1, tokens.count - 1)
  }

  mutating func read(_ symbol: String) -> Bool {
    guard peek(symbol) else { return false }
    advance()
    return true
  }

  mutating func expect(_ symbol: String) throws(Diagnostic) {
    guard read(symbol) else { throw unclosed(symbol) ?? unexpected("\"\(symbol)\"") }
  }

  /// What is said where a bracket is closed nowhere behind this token: at that bracket.
  private func unclosed(_ symbol: String) -> Diagnostic? {
    guard let opening = ["}": "{", ")": "(", "]": "["][symbol],
      !tokens[position...].contains(where: { $0.kind == .symbol(symbol) }),
      token.kind == .end || foreign == nil
    else { return nil }
    var closed = 0
    for token in tokens[..<position].reversed() {
      switch token.kind {
      case .symbol(symbol): closed += 1
      case .symbol(opening) where closed > 0: closed -= 1
      case .symbol(opening):
        return Diagnostic("\"\(opening)\" has no matching \"\(symbol)\"", at: token.range)
          .marked(.unmatched)
      default: break
      }
    }
    return nil
  }

  mutating func name(_ wanted: String) throws(Diagnostic) -> Identifier {
    guard case .identifier(let text) = token.kind else { throw unexpected(wanted) }
    defer { advance() }
    return Identifier(text: text, range: token.range)
  }

  /// A node from `start` to the token before this one, above `children`.
  func node(
    _ kind: Syntax.Kind,
    from start: Int,
    above children: [Syntax] = []
  ) throws(Diagnostic) -> Syntax {
    let end = position > 0 ? tokens[position - 1].range.upperBound : start
    // A closure is a level of nesting, and no part of a chain. The leaf below all parts counts 1.
    let part = if case .closure = kind { 0 } else { 1 }
    let height = part + (children.map(\.height).max() ?? 0)
    let range = start..<max(start, end)
    guard height <= Self.longestChain + 1 else {
      let message = "the expression is a chain of more than \(Self.longestChain) parts"
      throw Diagnostic(message, at: range)
    }
    return Syntax(kind: kind, range: range, height: height)
  }

  /// Counts one level of nesting for as long as `body` runs.
  mutating func nested<R>(
    _ body: (inout Self) throws(Diagnostic) -> R
  ) throws(Diagnostic) -> R {
    // The whole expression is a level, too.
    guard depth <= Self.deepest else {
      throw Diagnostic("the expression is nested more than \(Self.deepest) deep", at: token.range)
    }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }
}
