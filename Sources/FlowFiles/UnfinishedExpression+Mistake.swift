package import FlowLanguage

extension UnfinishedExpression {
  /// The mistake that stays whatever is typed next; `nil` if the text may become correct.
  ///
  /// `known` says whether a name exists, which tells `a-b` from a difference.
  package func mistake(isRun: Bool, known: @escaping (String) -> Bool) -> Diagnostic? {
    guard characters.contains(where: { !$0.isWhitespace }) else { return nil }
    if let stray {
      let text = String(characters[...stray])
      return error(in: text, isRun, known).flatMap { $0.offset <= stray ? $0 : nil }
    }
    var found: Diagnostic?
    for text in continuations {
      guard let error = error(in: text, isRun, known) else { return nil }
      // An error further on may only hide this one.
      if found == nil, isComplete(error) { found = error }
    }
    return found
  }

  // MARK: What may follow

  /// Stages that make a pipeline of something that is none yet.
  private static let stages = [
    "autoconnect()", "publish(every: 1).autoconnect()", "publisher", "switchToLatest()",
  ]

  /// Texts that this one may become: with something in its open brackets, or else with other stages in the
  /// place of the last word.
  private var continuations: [String] {
    let text = String(characters)
    guard open.isEmpty else {
      return ["", " 0", " $0 == 0", " { $0 }", ": 0"].map { text + $0 + closers }
    }
    guard let word = lastWord, word.lowerBound > 0, characters[word.lowerBound - 1] == "." else {
      return [text]
    }
    let before = String(characters[..<word.lowerBound])
    let start = String(characters[word])
    // Whatever the word becomes, it is a stage as count() is.
    return [text, before + "count()"]
      + Self.stages.filter { $0.hasPrefix(start) }.map { before + $0 }
  }

  /// Whether the text that a mistake is about is complete, so that nothing that follows changes it.
  private func isComplete(_ mistake: Diagnostic) -> Bool {
    let end = mistake.offset + mistake.length
    guard mistake.unknown == nil, mistake.kind != .unmatched, end <= characters.count else {
      return false
    }
    if end <= endOfComplete { return true }
    // Something else has begun behind the word.
    return mistake.kind == .unknownWord && end < endOfText && !mayBeParameter(mistake.offset)
  }

  // MARK: Compiling

  private func error(
    in text: String,
    _ isRun: Bool,
    _ known: @escaping (String) -> Bool
  ) -> Diagnostic? {
    do throws(Diagnostic) {
      // Where a name may be a difference, the known names make it certain.
      if text.contains("-") {
        try compile(text, isRun, known)
      } else {
        _ = try FreeExpression(text)
      }
      return nil
    } catch {
      return error
    }
  }

  /// Compiles a text in which only known names have hyphens.
  private func compile(
    _ text: String,
    _ isRun: Bool,
    _ known: @escaping (String) -> Bool
  ) throws(Diagnostic) {
    let lookup = { (name: String) -> NamedSource? in
      if known(name) { return .subject }
      if let pattern = NamedSource.pattern(name) { return pattern }
      let isNoName = OperatorTable.entry(name) != nil || OperatorTable.isForeign(name)
      return isNoName || name.contains("-") ? nil : .subject
    }
    _ =
      try isRun
      ? RunDefinition(text, lookup: lookup, names: { [] }).pipeline
      : Pipeline(text, lookup: lookup, names: { [] })
  }
}
