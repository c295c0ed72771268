/// A pipeline that ends in a subject: `EXPR.subscribe(SUBJECT)` or `EXPR.assign(to: SUBJECT)`.
public final class RunDefinition {
  /// What becomes of the pipeline's end.
  public enum Ending: Sendable {
    /// The subject ends as the pipeline does.
    case subscribe
    /// The subject goes on.
    case assign
  }

  /// The text as written.
  public let text: String
  /// What comes before the ending.
  public let pipeline: Pipeline
  /// The ending as written.
  public let lastStage: StageDescription
  /// The name of the subject that the values go to.
  public let target: String
  public let ending: Ending
  /// After how many nanoseconds it is started again when it has failed; `nil` if it is not.
  public let restart: Int64?
  /// The name of the subject that values without an answer are sent to; `nil` if they are not.
  public let failed: String?

  /// The names of all subjects that it sends to.
  public var outputs: [String] { [target] + [failed].compactMap(\.self) }

  /// Parses, checks and compiles `text`; the other parameters are those of a `Pipeline`.
  public init(
    _ text: String,
    named name: String? = nil,
    restart: Int64? = nil,
    failed: String? = nil,
    lookup: @escaping (String) -> NamedSource?,
    names: @escaping () -> [String]
  ) throws(Diagnostic) {
    let syntax = try Parser.stages(text, isName: { $0 == name || lookup($0) != nil })
    let characters = Array(text)
    let compile = { (syntax: Syntax) throws(Diagnostic) -> Pipeline in
      try Pipeline(
        syntax,
        of: characters,
        text: String(characters[syntax.range]),
        named: name,
        lookup: lookup,
        names: names
      )
    }
    let last: LastStage
    do throws(Diagnostic) {
      last = try LastStage(syntax, lookup: lookup, names: names)
    } catch {
      var mistakes: [Diagnostic] = []
      do throws(Diagnostic) {
        _ = try compile(syntax.withoutEnding)
      } catch let others {
        mistakes = others.all
      }
      throw error.followed(by: mistakes)
    }
    self.text = text
    self.restart = restart
    self.failed = failed
    target = last.target
    ending = last.ending
    lastStage = StageDescription(
      text: String(characters[last.name.range.lowerBound..<syntax.range.upperBound]),
      name: last.entry.name,
      demand: last.entry.demands[0].general
    )
    pipeline = try compile(last.upstream)
  }
}

/// What a run ends in: a stage with the subject that the values go to.
private struct LastStage {
  let upstream: Syntax
  let name: Identifier
  let entry: OperatorEntry
  let ending: RunDefinition.Ending
  let target: String

  init(
    _ syntax: Syntax,
    lookup: (String) -> NamedSource?,
    names: () -> [String]
  ) throws(Diagnostic) {
    guard case .call(let callee, let arguments) = syntax.kind,
      case .member(let base, let name) = callee.kind,
      let entry = OperatorTable.entry(name.text), case .ending(let compile) = entry.form
    else {
      if let name = syntax.unknownOperator {
        let names = OperatorTable.all.filter { $0.role != .source }.map(\.name)
        throw .unknown("operator", name.text, at: name.range, among: names)
      }
      throw Diagnostic(
        "a run must end in .subscribe(SUBJECT) or .assign(to: SUBJECT)",
        at: syntax.range.upperBound..<syntax.range.upperBound
      )
    }
    let end = try compile(SourceCall(entry: entry, name: name, list: arguments))
    let subject = end.subject
    guard case .name(let target) = subject.kind else {
      throw Diagnostic("expected the name of a subject", at: subject.range)
    }
    switch lookup(target) {
    case .subject: break
    case .pipeline, .opaque:
      throw Diagnostic("\(target) is a pipeline, expected a subject", at: subject.range)
    case .subjects, .newSubjects:
      throw Diagnostic("\(target) is a pattern, expected a subject", at: subject.range)
    case .run:
      throw Diagnostic("\(target) is a run, expected a subject", at: subject.range)
    case .hidden, nil:
      throw Diagnostic.unknown("subject", target, at: subject.range, among: names())
        .because(.target(target))
    }
    upstream = base
    self.name = name
    self.entry = entry
    ending = end.ending
    self.target = target
  }
}

extension Syntax {
  /// The operator of the last call, if there is none of that name.
  fileprivate var unknownOperator: Identifier? {
    guard case .call(let callee, _) = kind, case .member(_, let name) = callee.kind,
      OperatorTable.entry(name.text) == nil, ForeignWord.row(name.text, .stage) == nil
    else { return nil }
    return name
  }

  /// The expression without its last call, if that call is the ending of a run or unknown.
  fileprivate var withoutEnding: Syntax {
    guard case .call(let callee, _) = kind, case .member(let base, let name) = callee.kind,
      unknownOperator != nil || OperatorTable.entry(name.text)?.role == .ending
    else { return self }
    return base
  }
}
