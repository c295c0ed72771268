extension Compiler {
  /// Refuses a source that Swift has and a pipeline has not, where no name is meant.
  func checkForeign(_ name: Identifier) throws(Diagnostic) {
    guard lookup(name.text) == nil else { return }
    if let entry = OperatorTable.entry(name.text), entry.role == .source {
      throw entry.withoutArguments(at: name.range)
    }
    guard let hint = OperatorTable.foreignSources[name.text] else { return }
    throw Diagnostic("\(name.text) is not available in a pipeline: \(hint)", at: name.range)
  }

  /// As above, of what stands at the beginning of `syntax`.
  func checkForeign(_ syntax: Syntax) throws(Diagnostic) {
    switch syntax.kind {
    case .name("Timer") where lookup("Timer") == nil:
      try checkForeign(Identifier(text: "Timer", range: syntax.range))
    case .name(let name) where OperatorTable.foreignSources[name] != nil:
      try checkForeign(Identifier(text: name, range: syntax.range))
    case .member(let base, _): try checkForeign(base)
    default: break
    }
  }
}
