internal import FlowLanguage
internal import FlowWire
internal import Spelling

/// Who plays in a trial: the pipeline, what is sent to subjects, and all that they name.
///
/// Pipelines of the server are compiled anew, since a `share` remembers, and its own stages are not
/// recorded.
struct TrialCast {
  private let trial: Trial
  private let known: Known
  private var rows: [MarbleTest.Row] = []

  init(_ trial: Trial) {
    self.trial = trial
    known = Known(trial)
  }

  /// The pipeline, a test of it without what it has to give, and the scene of both.
  mutating func prepare() throws(TrialError) -> (Pipeline, MarbleTest, MarbleScene) {
    try readRows()
    let pipeline: Pipeline
    do throws(Diagnostic) {
      pipeline = try Pipeline(
        recording: trial.expression,
        lookup: known.source,
        names: known.names
      )
    } catch {
      throw TrialError(error, in: trial.expression)
    }
    for row in rows { try check(row) }
    let name = ownName
    var test = MarbleTest(LogicalLine())
    test.name = name
    test.tick = trial.tick * 1_000_000
    test.rows = rows + [try demand(name)]
    var scene = MarbleScene()
    scene.subjects = known.subjects
    scene.pipelines = known.pipelines + [(name, pipeline)]
    return (pipeline, test, scene)
  }

  // MARK: Rows

  private mutating func readRows() throws(TrialError) {
    for text in trial.rows {
      let line = Array(text)
      let first = String(text.split(maxSplits: 1) { $0.isWhitespace }.first ?? "")
      var reader = MarbleReader(line, number: 1, file: FlowFile("", name: "row"))
      let row: MarbleTest.Row
      do throws(Finding) { row = try reader.row() } catch {
        throw TrialError(error, inRow: first)
      }
      if rows.contains(where: { $0.title == row.title }) {
        throw TrialError("there is more than one row \(row.title)", inRow: first)
      }
      rows.append(row.cut(to: trial.ticks))
      switch row.kind {
      case .values: try addSubject(row.name)
      case .service: break
      case .demand:
        throw TrialError("what is asked of the pipeline is told by ask", inRow: first)
      case .drops: throw TrialError("expected what is sent to a subject", inRow: first)
      }
    }
  }

  /// Takes what is unknown for a subject.
  private func addSubject(_ name: String) throws(TrialError) {
    guard Name.isName(name) || Definitions.ownSubjects.contains(name) else {
      throw TrialError("\"\(name.excerpt())\" is not the name of a subject", inRow: name)
    }
    switch trial.known[name] {
    case nil: known.add(name, SubjectSettings())
    case .subject: _ = known.source(name)
    case .pipeline(_)?, .run(_)?:
      let kind = trial.known[name]?.kind ?? ""
      throw TrialError("\(name) is a \(kind); only subjects are sent to", inRow: name)
    }
  }

  /// Checks a row that plays a service.
  private func check(_ row: MarbleTest.Row) throws(TrialError) {
    guard case .service(let closure, let column) = row.kind else { return }
    if known.source(row.name) != nil {
      throw TrialError("\(row.name) is no service; give the service another name", inRow: "serve")
    }
    do throws(Diagnostic) {
      _ = try ServiceClosure(closure, lookup: known.source, names: known.names)
    } catch {
      var trouble = TrialError(error, in: closure)
      trouble.row = "serve"
      trouble.place?.column += column - 1
      trouble.place?.columnInLine += column - 1
      throw trouble
    }
  }

  /// What the subscriber asks for; it makes the test as long as it has to be.
  private func demand(_ name: String) throws(TrialError) -> MarbleTest.Row {
    // As behind an arrow, where a comment may follow a blank.
    var reader = MarbleReader(Array(" " + trial.ask), number: 1, file: FlowFile("", name: "ask"))
    var ticks: [[Marble]]
    do throws(Finding) { ticks = try reader.ticks(ofDemand: true) } catch {
      throw TrialError(error, inRow: "ask", shift: 1)
    }
    ticks += Array(repeating: [], count: max(0, trial.ticks - ticks.count))
    return MarbleTest.Row(
      name: name,
      kind: .demand,
      ticks: Array(ticks.prefix(trial.ticks)),
      number: 1,
      column: 1,
      text: trial.ask
    )
  }

  /// A name for the pipeline that nothing else has.
  private var ownName: String {
    let taken = Set(rows.map(\.name))
    let names = [trial.name ?? "tried", "tried"] + (2...(taken.count + 3)).map { "tried\($0)" }
    let free = names.first { !taken.contains($0) && known.source($0) == nil }
    return free ?? "tried-\(taken.count)-\(trial.names.count)"
  }

  // MARK: Definitions

  /// The lines of a file that define what `pipeline` and the rows name.
  func definitions(for pipeline: Pipeline) -> [String] {
    var needed = Set(pipeline.mentions + rows.map(\.name) + (hasServices ? known.all : []))
    var lines: [String] = []
    for (name, pipeline) in known.pipelines.reversed() where needed.contains(name) {
      needed.formUnion(pipeline.mentions)
      lines.append("PIPELINE \(name) = \(pipeline.text.onOneLine)")
    }
    let patterns = ([pipeline] + known.pipelines.map(\.pipeline)).flatMap(\.patterns)
    let subjects = known.subjects.filter { name, _ in
      let isNeeded = needed.contains(name) || patterns.contains { $0.contains(name) }
      return isNeeded && !Definitions.ownSubjects.contains(name)
    }
    return subjects.map { "SUBJECT \($0) \($1)" } + lines.reversed()
  }

  /// Whether there are closures that may name something.
  private var hasServices: Bool {
    rows.contains { if case .service = $0.kind { true } else { false } }
  }

  /// The names that have been looked up.
  private final class Known {
    private(set) var subjects: [(name: String, settings: SubjectSettings)] = []
    /// In an order in which each one reads only those before it.
    private(set) var pipelines: [(name: String, pipeline: Pipeline)] = []
    private let trial: Trial
    private var sources: [String: NamedSource] = [:]
    /// The pipelines that are being compiled.
    private var isBeingCompiled: Set<String> = []

    init(_ trial: Trial) { self.trial = trial }

    /// All names that have been found.
    var all: [String] { Array(sources.keys) }

    func names() -> [String] { trial.names + subjects.map(\.name) }

    func add(_ name: String, _ settings: SubjectSettings) {
      guard sources[name] == nil else { return }
      var settings = settings
      settings.nats = nil
      subjects.append((name, settings))
      sources[name] = .subject
    }

    /// What a name stands for; pipelines are compiled when they are first asked for.
    func source(_ name: String) -> NamedSource? {
      if let source = sources[name] { return source }
      if Definitions.ownSubjects.contains(name) {
        add(name, SubjectSettings())
        return .subject
      }
      if let pattern = NamedSource.pattern(name) {
        sources[name] = pattern
        addSubjects(of: pattern)
        return pattern
      }
      switch trial.known[name] {
      case nil: return nil
      case .subject(let settings): add(name, settings)
      case .run(let target): sources[name] = .run(target: target)
      case .pipeline(let text): sources[name] = compiled(name, text)
      }
      return sources[name]
    }

    /// Adds the subjects that fit a pattern.
    private func addSubjects(of pattern: NamedSource) {
      guard case .subjects(let set) = pattern else { return }
      for (name, entry) in trial.known.sorted(by: { $0.key < $1.key }) where set.contains(name) {
        if case .subject(let settings) = entry { add(name, settings) }
      }
    }

    /// The pipeline anew; what it reads may have been deleted, or defined otherwise.
    private func compiled(_ name: String, _ text: String) -> NamedSource? {
      guard isBeingCompiled.insert(name).inserted else { return nil }
      defer { isBeingCompiled.remove(name) }
      let fresh = try? Pipeline(recording: text, lookup: source, names: { [] })
      guard let fresh else { return nil }
      pipelines.append((name, fresh))
      return .pipeline(fresh)
    }
  }
}

extension MarbleTest.Row {
  /// The row without what would come after so many ticks.
  fileprivate func cut(to length: Int) -> MarbleTest.Row {
    MarbleTest.Row(
      name: name,
      kind: kind,
      ticks: Array(ticks.prefix(length)),
      number: number,
      column: column,
      text: text
    )
  }
}

extension String {
  /// The lines of a pipeline's text joined, as a file joins them.
  var onOneLine: String {
    split(whereSeparator: \.isNewline).reduce(into: "") { text, line in
      let line = String(Array(line).trimmed)
      if !text.isEmpty, !line.hasPrefix(".") { text += " " }
      text += line
    }
  }
}
