/// The record that a parser keeps of a text that may end anywhere.
struct UnfinishedState {
  /// The part of an expression that the parser needs at the end of the text.
  enum Wanted {
    case expression
    case member(of: Syntax)
    case keyPath([PathStep])
  }

  /// Whether a name is that of a subject or a pipeline.
  let isName: (String) -> Bool
  /// The brackets and quotes that are open, the outermost first.
  var open: [UnfinishedExpression.Bracket] = []
  /// The missing expression or name, if the parser reached the end.
  var wanted: Wanted?
  /// The function or operator that the next bracket calls.
  var callee: Syntax?
  /// The start of the string that the text ends in.
  var openString: Int?
  /// The first closing bracket that closes nothing.
  var stray: Int?
  /// The last part in brackets that was closed, with the name that is called.
  var closed: Range<Int>?
  /// The start of names that may become the parameters of a closure.
  var parameters: Int?
  /// The last token that was read.
  var last: Lexeme?

  init(isName: @escaping (String) -> Bool, openString: Int?) {
    self.isName = isName
    self.openString = openString
  }

  /// Records that the parser moves past `token`.
  mutating func pass(_ token: Lexeme) {
    let start = token.range.lowerBound
    switch token.kind {
    case .symbol("("), .symbol("["), .symbol("{"): enter(token)
    case .symbol(")"), .symbol("]"), .symbol("}"):
      if let bracket = open.popLast() {
        closed = bracket.start..<token.range.upperBound
      } else if stray == nil {
        stray = start
      }
    case .string where start == openString:
      open.append(UnfinishedExpression.Bracket(sign: "\"", start: start))
    default: break
    }
    callee = nil
    if token.kind != .end { last = token }
  }

  /// Records the brackets from `first` to `last`, whose contents cannot be read.
  mutating func skip(_ first: Lexeme, to last: Lexeme) {
    closed = startOfCall(before: first)..<last.range.upperBound
    self.last = last
  }

  /// Records that an argument begins, with its label.
  mutating func begin(_ label: String?) {
    if let index = open.indices.last { open[index].labels.append(label) }
  }

  /// Opens the parenthesis of an interpolation in the string `token`.
  mutating func enterInterpolation(of token: Lexeme, at place: Int) {
    pass(token)
    open.append(UnfinishedExpression.Bracket(sign: "(", start: place))
  }

  private mutating func enter(_ token: Lexeme) {
    guard case .symbol(let symbol) = token.kind, let sign = symbol.first else { return }
    var bracket = UnfinishedExpression.Bracket(sign: sign, start: startOfCall(before: token))
    bracket.isCall = callee != nil
    bracket.entry = callee.flatMap(entry)
    open.append(bracket)
  }

  /// Returns the start of the name that `bracket` calls; of the bracket if it calls none.
  private func startOfCall(before bracket: Lexeme) -> Int {
    switch callee?.kind {
    case .member(let base, let name):
      // The arguments of Timer.publish(…) belong to the name of the source.
      if case .name(let source) = base.kind, OperatorTable.entry(source)?.role == .source {
        return base.range.lowerBound
      }
      return name.range.lowerBound
    case .some: return callee?.range.lowerBound ?? bracket.range.lowerBound
    case nil:
      guard let last, case .identifier = last.kind,
        last.range.upperBound == bracket.range.lowerBound
      else { return bracket.range.lowerBound }
      return last.range.lowerBound
    }
  }

  /// The source or operator that `callee` is.
  private func entry(_ callee: Syntax) -> OperatorEntry? {
    switch callee.kind {
    case .name(let name): OperatorTable.entry(name).flatMap { $0.role == .source ? $0 : nil }
    case .member(let base, let name): isPublisher(base) ? OperatorTable.entry(name.text) : nil
    default: nil
    }
  }

  // MARK: Publishers and values

  /// Whether a publisher is needed here, rather than a value: outside closures, and in a closure that
  /// makes a publisher.
  var needsPublisher: Bool {
    guard let brace = open.lastIndex(where: { $0.sign == "{" }) else { return true }
    let call = open[...brace].last(where: \.isCall)
    return call?.entry?.traits.contains(.closureMakesPublisher) ?? false
  }

  /// Whether `syntax` is a publisher, as far as its beginning tells.
  func isPublisher(_ syntax: Syntax) -> Bool {
    guard open.contains(where: { $0.sign == "{" }) else { return true }
    switch syntax.kind {
    case .name(let name):
      return isName(name) || OperatorTable.entry(name)?.role == .source
        || OperatorTable.isForeign(name)
    case .member(let base, _), .call(let base, _): return isPublisher(base)
    case .array: return needsPublisher
    default: return false
    }
  }
}

extension Parser {
  /// Reads to the end of a text that may end anywhere, so that all of its brackets are recorded.
  mutating func readUnfinished() throws(Diagnostic) -> Syntax {
    do throws(Diagnostic) {
      return try whole()
    } catch {
      while token.kind != .end { advance() }
      throw error
    }
  }

  /// Reads the interpolated expression that the text ends in.
  mutating func unfinishedInterpolation(_ place: Range<Int>) throws(Diagnostic) -> Syntax {
    let string = token
    unfinished?.enterInterpolation(of: string, at: place.lowerBound - 1)
    unfinished?.openString = nil
    var lexer = Lexer(characters, in: place, readsLevels: false, isName: { _ in false })
    lexer.isUnfinished = true
    var parser = Parser(characters: characters, tokens: try lexer.tokens(), depth: depth)
    parser.unfinished = unfinished
    parser.unfinished?.openString = lexer.openString
    defer {
      unfinished = parser.unfinished
      unfinished?.openString = nil
    }
    return try parser.readUnfinished()
  }
}
