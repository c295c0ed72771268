internal import FlowFiles
internal import FlowLanguage
package import FlowSubjects
internal import FlowWire
internal import Spelling

extension DefinitionError {
  static let draining = DefinitionError(
    .draining,
    "the server is shutting down; nothing new can be opened"
  )
}

extension Engine {
  /// Makes a subject; returns false if it exists already.
  @discardableResult
  func define(_ name: String, _ settings: SubjectSettings) throws(DefinitionError) -> Bool {
    if let old = registry.subject(name), old.intake.takesNoMore {
      throw DefinitionError(.exists, Self.hasCompleted(name))
    }
    if let text = SubjectStores.refusal(of: name, settings, in: configuration) {
      throw DefinitionError(.usage, text)
    }
    if let backend = registry.subject(name)?.backend, !backend.agrees(with: settings) {
      throw refusal(.exists, of: name)
    }
    guard try admits(name, as: .subject(settings)) else { return false }
    add(.subject(stores.makeSubject(name, settings)), named: name)
    return true
  }

  /// Makes a subject or run that another server stored with `line` at this position of `store`.
  package func define(
    _ name: String,
    _ line: String,
    at definition: UInt64,
    in store: any SubjectStore
  ) throws(DefinitionError) {
    guard registry[name] == nil else {
      throw DefinitionError(.exists, "it is something else here; DELETE \(name) first")
    }
    let first = line.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
    switch (try? TaggedCommand(first))?.command {
    case .subject(name, let settings)? where type(of: store).holds(settings):
      guard try admits(name, as: .subject(settings)) else { return }
      add(.subject(stores.makeSubject(name, settings, at: definition)), named: name)
    case .run(name, let expression, _, let failed)?:
      let entry = RunEntry(text: line)
      guard let access = entry.access else {
        throw DefinitionError(.denied, "the rights stored with the definition are malformed")
      }
      let standing: RunDefinition
      do throws(Diagnostic) {
        standing = try registry.compileStanding(
          expression,
          named: name,
          failed: failed,
          for: access
        )
      } catch {
        throw DefinitionError(error, column: 1)
      }
      guard store.carries(standing) else { return }
      try check(standing, for: access)
      if entry.end == nil { try admit(name, standing, at: definition) }
      try checkRoom(for: .run(standing))
      let run = makeRun(name, standing, for: access, at: definition)
      add(.run(run), named: name)
      run.start()
    default: throw DefinitionError(.syntax, "\(FrameWriter.oneLine(line)) is no definition of it")
    }
  }

  /// Checks a run of another server; in a cycle, the run defined last fails.
  private func admit(
    _ name: String,
    _ standing: RunDefinition,
    at definition: UInt64
  ) throws(DefinitionError) {
    do throws(NameRefusal) {
      _ = try registry.admits(name, as: .run(standing))
    } catch {
      guard case .cycle(let names) = error else { throw refusal(error, of: name) }
      let later = registry.runs.filter {
        let its = $0.backend?.definition ?? 0
        return $0.isRunning && $0.standing.outputs.contains { names.contains($0) }
          && its > definition
      }
      guard !later.isEmpty else { throw refusal(error, of: name) }
      for run in later {
        run.fail(PipelineFailure(.cycle, refusal(error, of: run.name).message))
      }
      _ = try admits(name, as: .run(standing))
    }
  }

  package func run(_ name: String) -> Run? { registry.run(name) }

  /// All runs, in order of definition.
  package var runs: [Run] { registry.runs }

  /// The server's address for others on the same store.
  package var place: String { clients.place }

  /// Removes the definition of `name`, if there is one, and ends what it stood for.
  package func delete(_ name: String) {
    guard let entry = registry.remove(name) else { return }
    notify(.deleted(kind: entry.kind, name: name))
    entry.end()
  }

  private static func hasCompleted(_ name: String) -> String {
    "subject \(name) has completed; DELETE it first, then define it again"
  }

  /// Makes a run without starting it; `definition` is its position in the store.
  func makeRun(
    _ name: String,
    _ standing: RunDefinition,
    for access: Access?,
    at definition: UInt64? = nil
  ) -> Run {
    let run = Run(name: name, standing: standing, access: access, engine: self)
    run.backend = stores.makeBackend(of: run, at: definition)
    return run
  }

  func define(
    _ name: String,
    _ expression: Expression,
    for access: Access
  ) throws(DefinitionError) -> Pipeline {
    let old = registry[name]
    func same() -> Pipeline? {
      guard case .pipeline(let old) = old, old.text == expression.text else { return nil }
      return old
    }
    // A restricted client must not learn what the run reads.
    if !access.isRestricted, let old = same() { return old }
    let pipeline = try compile(expression, named: name, for: access)
    if let old = same() { return old }
    guard try admits(name, as: .pipeline(pipeline)) else { return pipeline }
    add(.pipeline(pipeline), named: name)
    return pipeline
  }

  /// Makes a run without starting it; nil if the same one runs already.
  func define(
    run name: String,
    _ expression: Expression,
    restart: Int64?,
    failed: String?,
    for access: Access
  ) throws(DefinitionError) -> Run? {
    let old = registry[name]
    func isSame() -> Bool {
      guard case .run(let old) = old else { return false }
      return old.standing.text == expression.text && old.standing.restart == restart
        && old.standing.failed == failed
    }
    func isRunning() -> Bool { if case .run(let old) = old { old.isRunning } else { false } }
    if !access.isRestricted, isSame(), isRunning() { return nil }
    let standing: RunDefinition
    do throws(Diagnostic) {
      standing = try registry.compileStanding(
        expression,
        named: name,
        restart: restart,
        failed: failed,
        for: access
      )
    } catch {
      throw refusal(error, expression, for: access)
    }
    try check(standing, for: access)
    if isSame() {
      guard !isRunning() else { return nil }
      throw DefinitionError(.exists, "run \(name) has ended; DELETE \(name) first")
    }
    if old != nil { throw refusal(.exists, of: name) }
    for output in standing.outputs { _ = try subjectToPublish(output, for: access) }
    _ = try admits(name, as: .run(standing), for: access)
    let run = makeRun(name, standing, for: access)
    add(.run(run), named: name)
    return run
  }

  private func check(_ standing: RunDefinition, for access: Access) throws(DefinitionError) {
    for output in standing.outputs { try access.check(.send, output) }
    if standing.ending == .subscribe { try access.check(.complete, standing.target) }
    for service in standing.pipeline.services { try access.check(.ask, service) }
    if standing.pipeline.prints { try access.check(.print, to: Self.printing) }
  }

  private func add(_ entry: Registry.Entry, named name: String) {
    if case .subject(let subject) = entry { ledger.keptChanged(by: subject.kept?.bytes ?? 0) }
    registry.add(entry, named: name)
    stores.makeWhatIsUnmade()
    notify(.defined(kind: entry.kind, name: name))
  }

  private func checkRoom(for content: Definition.Content) throws(DefinitionError) {
    guard !ledger.isFull else { throw DefinitionError(.limit, ledger.refusal) }
    guard registry.bytes + content.bytes <= ledger.limit / 4 else {
      let most = ledger.limit >> 22
      throw DefinitionError(.limit, "the limit of \(most) MiB for definitions is reached")
    }
  }

  /// Whether the name may be defined as `content`; false if it already is.
  private func admits(
    _ name: String,
    as content: Definition.Content,
    for access: Access? = nil
  ) throws(DefinitionError) -> Bool {
    do throws(NameRefusal) {
      guard try registry.admits(name, as: content) else { return false }
    } catch {
      guard case .cycle(let names) = error, let access else { throw refusal(error, of: name) }
      // Adjacent hidden names become one `…`, so that their number stays hidden.
      let shown = names.map { access.shows($0) ? $0 : Gate.hidden }
      let folded = shown.reduce(into: [String]()) { folded, name in
        if name != Gate.hidden || folded.last != name { folded.append(name) }
      }
      throw refusal(.cycle(folded), of: name)
    }
    try checkRoom(for: content)
    return true
  }

  private func refusal(_ refusal: NameRefusal, of name: String) -> DefinitionError {
    DefinitionError(refusal.code, refusal.text(for: name))
  }

  /// Returns the named pipeline, or compiles the expression, for a client that may read it.
  func pipeline(
    _ expression: Expression,
    for access: Access
  ) throws(DefinitionError) -> Pipeline {
    let entry = registry[expression.text]
    if entry != nil { try access.check(.subscribe, expression.text) }
    switch entry {
    case .pipeline(let pipeline): return pipeline
    case .subject(let subject):
      if let pipeline = subject.plainPipeline { return pipeline }
      let pipeline = try compile(expression, for: access)
      subject.plainPipeline = pipeline
      return pipeline
    case .run, nil: return try compile(expression, for: access)
    }
  }

  /// Compiles a client's expression; an unknown single name is a different error than a mistake.
  private func compile(
    _ expression: Expression,
    named name: String? = nil,
    for access: Access
  ) throws(DefinitionError) -> Pipeline {
    if case .run(let run) = registry[expression.text], access.shows(run.name) {
      let target = access.shows(run.standing.target) ? run.standing.target : "a subject"
      throw DefinitionError(.usage, "\(run.name) is a run; read \(target), where its values go")
    }
    let pipeline: Pipeline
    do throws(Diagnostic) {
      pipeline = try registry.compile(expression, named: name, for: access)
    } catch {
      guard expression.text != name, isName(expression.text) else {
        throw refusal(error, expression, for: access)
      }
      guard access.shows(expression.text) else {
        throw access.refusal(.subscribe, expression.text)
      }
      throw unknownName(expression.text, for: access)
    }
    // A call acts elsewhere, as SEND does, so it needs a right.
    for service in pipeline.services { try access.check(.ask, service) }
    if pipeline.prints { try access.check(.print, to: Self.printing) }
    return pipeline
  }

  private static let printing = "write to the server's log"

  /// Returns the error for an expression, the same for a hidden name and a missing one.
  private func refusal(
    _ diagnostic: Diagnostic,
    _ expression: Expression,
    for access: Access
  ) -> DefinitionError {
    let hidden = registry.hiddenName(in: expression, refusedWith: diagnostic, from: access)
    return switch hidden {
    case .source(let source): access.refusal(.subscribe, source)
    case .target(let target): access.refusal(.send, target)
    case nil:
      mayBeKnown(diagnostic.unknown) ?? DefinitionError(diagnostic, column: expression.column)
    }
  }

  private func mayBeKnown(_ unknown: Diagnostic.Unknown?) -> DefinitionError? {
    switch unknown {
    case .source(let name), .target(let name): stores.mayBeKnown(name)
    case nil: nil
    }
  }

  /// Whether a word is a name, not a number or another value.
  private func isName(_ word: String) -> Bool {
    Name.isReadable(word) && !["true", "false", "null", "nil"].contains(word)
      && OperatorTable.entry(word) == nil && !OperatorTable.isForeign(word)
  }

  func subjectToPublish(
    _ name: String,
    for access: Access
  ) throws(DefinitionError) -> ServerSubject {
    if name.isServers { throw refusal(.reserved(name), of: name) }
    switch registry[name] {
    case .subject(let subject):
      try checkUse(of: name)
      let intake = subject.intake
      guard subject.completion == nil, !intake.takesNoMore else {
        throw DefinitionError(.completed, Self.hasCompleted(name))
      }
      return intake
    case .pipeline:
      throw DefinitionError(.usage, "\(name) is a pipeline, expected a subject")
    case .run:
      throw DefinitionError(.usage, "\(name) is a run, expected a subject")
    case nil: throw unknownName(name, for: access)
    }
  }

  /// Throws if `name` is a subject that its backend has lost or uses for something else.
  func checkUse(of name: String) throws(DefinitionError) {
    if let error = registry.subject(name)?.backend?.refusal { throw error }
  }

  /// Throws if the pipeline reads an unusable subject; names only subjects that `access` may read.
  func checkUse(of pipeline: Pipeline, for access: Access) throws(DefinitionError) {
    guard !stores.isEmpty else { return }
    for name in pipeline.subjects {
      do throws(DefinitionError) {
        try checkUse(of: name)
      } catch {
        guard gate(for: access).reads(name) else {
          throw DefinitionError(error.code, "a subject that the pipeline reads cannot be used here")
        }
        throw error
      }
    }
  }

  /// The error for a value that a pipeline has made too long.
  func tooLong(_ count: Int) -> String {
    "the value has \(count) bytes; the limit is \(configuration.valueLimit) bytes"
  }

  /// To compare a name with another is as much work as so many steps.
  private static let stepsToCompare = 2

  func unknownName(_ name: String, for access: Access) -> DefinitionError {
    guard Name.isReadable(name) else {
      let expected = Name.expected(insteadOf: name)
      let text = "\"\(FrameWriter.oneLine(name.excerpt()))\" is no name, expected \(expected)"
      return DefinitionError(.unknownName, text)
    }
    if let error = stores.mayBeKnown(name) { return error }
    let sources = registry.sources(for: access)
    // Whoever sends many such lines has the next ones wait.
    timeSlice.charge(sources.count * Self.stepsToCompare)
    let meant = nearest(to: name, among: sources)
    let advice = meant.map { "did you mean \($0)?" } ?? ErrorCode.namesAreListed
    return DefinitionError(.unknownName, "unknown name \"\(FrameWriter.oneLine(name))\"; \(advice)")
  }
}
