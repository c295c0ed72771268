extension Compiler {
  /// Refuses a source that Swift has and a pipeline has not, where no name is meant.
  func checkForeign(_ name: Identifier) throws(Diagnostic) {
    guard lookup(name.text) == nil else { return }
    if let entry = OperatorTable.entry(name.text), entry.role == .source {
      throw entry.withoutArguments(at: name.range)
    }
    guard let word = ForeignWord.row(name.text, .type) else { return }
    throw word.diagnostic(name)
  }

  /// As above, of what stands at the beginning of `syntax`.
  func checkForeign(_ syntax: Syntax) throws(Diagnostic) {
    switch syntax.kind {
    case .name("Timer") where lookup("Timer") == nil:
      try checkForeign(Identifier(text: "Timer", range: syntax.range))
    case .name(let name) where OperatorTable.isForeign(name):
      try checkForeign(Identifier(text: name, range: syntax.range))
    case .member(let base, _): try checkForeign(base)
    default: break
    }
  }

  /// Refuses a source of another library, as `of(1)` or `Observable.of(1)`, that is called as `callee`.
  func checkForeignSource(
    _ callee: Syntax,
    _ list: [Argument],
    to end: Int
  ) throws(Diagnostic) {
    let name: String
    switch callee.kind {
    case .name(let word): name = word
    case .member(let base, let word):
      guard case .name(let type) = base.kind, ForeignWord.factories.contains(type) else { return }
      name = word.text
    default: return
    }
    guard let word = ForeignWord.row(name, .source) else { return }
    throw word.diagnostic(
      Identifier(text: name, range: callee.range),
      ForeignCall(list, in: text),
      to: end
    )
  }
}
