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

  /// Parses, checks and compiles `text`; the other parameters are those of a `Pipeline`.
  public init(
    _ text: String,
    named name: String? = nil,
    restart: Int64? = nil,
    lookup: @escaping (String) -> NamedSource?,
    names: @escaping () -> [String]
  ) throws(Diagnostic) {
    let ownName = name
    let syntax = try Parser.parse(text, isName: { $0 == ownName || lookup($0) != nil })
    let characters = Array(text)
    guard case .call(let callee, let arguments) = syntax.kind,
      case .member(let base, let name) = callee.kind,
      let entry = OperatorTable.entry(name.text), case .ending(let compile) = entry.form
    else {
      if case .call(let callee, _) = syntax.kind, case .member(_, let name) = callee.kind,
        OperatorTable.entry(name.text) == nil, ForeignWord.row(name.text, .stage) == nil
      {
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
    self.text = text
    self.restart = restart
    self.target = target
    ending = end.ending
    lastStage = StageDescription(
      text: String(characters[name.range.lowerBound..<syntax.range.upperBound]),
      name: entry.name,
      demand: entry.demands[0].general
    )
    pipeline = try Pipeline(
      base,
      of: characters,
      text: String(characters[base.range]),
      named: ownName,
      lookup: lookup,
      names: names
    )
  }
}
