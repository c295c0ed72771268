internal import FlowFiles
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

extension Engine {
  /// Makes the names that come from files match `script`.
  ///
  /// The files are checked over several turns, then applied in one, so that nobody sees half of them.
  ///
  /// - Parameters:
  ///   - script: the statements of the files.
  ///   - done: receives the changes, as lines for people, or all mistakes; then nothing changes.
  func apply(_ script: Script, _ done: @escaping (Result<[String], ConfigurationError>) -> Void) {
    let check = FileCheck(
      Definitions(
        unchecked: script,
        limits: files.ownConfiguration.limits
      ) { [registry] name, pipeline in
        guard case .pipeline(let old) = registry[name], old.isSame(as: pipeline) else {
          return pipeline
        }
        return old
      }
    )
    continueChecking(check) { [self] in
      do throws(ConfigurationError) {
        done(.success(try apply(check.definitions)))
      } catch {
        done(.failure(error))
      }
    }
  }

  /// Checks what files say, in this turn and later ones, and then calls `done`.
  private func continueChecking(_ check: FileCheck, _ done: @escaping () -> Void) {
    let begun = timeSlice.now
    let limit = timeSlice.limit
    let slice = timeSlice
    let isDone = check.definitions.checkMore { slice.now &- begun <= limit }
    if isDone { return done() }
    timeSlice.waitBehind { [self] in continueChecking(check, done) }
  }

  private func apply(_ definitions: Definitions) throws(ConfigurationError) -> [String] {
    let errors = definitions.errors.isEmpty ? conflicts(of: definitions) : definitions.errors
    guard errors.isEmpty else { throw ConfigurationError(errors) }
    files.places = definitions.settingPlaces
    let isConfigured = configure(definitions.settings)
    if clients.isListening { stores.join() }
    var changes = FileChanges()
    remove(whatIsNot: definitions, &changes)
    let changed = Set(changes.changed)
    for definition in definitions.all { make(definition, isChanged: changed, &changes) }
    files.names = Set(definitions.all.map(\.name))
    return changes.lines + (isConfigured ? ["settings apply to what is opened from now on"] : [])
  }

  private func conflicts(of definitions: Definitions) -> [Finding] {
    var findings: [Finding] = []
    var planned = files
    planned.settings = definitions.settings
    let configuration = planned.configuration
    for definition in definitions.all {
      if case .subject(let settings) = definition.content,
        let text = SubjectStores.refusal(of: definition.name, settings, in: configuration)
      {
        findings.append(definition.finding(.error, text))
      }
      guard let old = registry[definition.name], !files.names.contains(definition.name),
        !definition.content.isSame(as: old.content)
      else { continue }
      let name = definition.name
      let message = "a client has defined \(name) differently; DELETE \(name) first"
      findings.append(definition.finding(.error, message))
    }
    return findings + cycles(of: definitions)
  }

  /// Cycles that runs of files and of clients form together.
  private func cycles(of definitions: Definitions) -> [Finding] {
    let others = registry.runs.filter { $0.isRunning && definitions[$0.name] == nil }
    var targets: [String: [String]] = [:]
    var patterns: [(set: SubjectSet, target: String)] = []
    func add(_ run: RunDefinition) {
      for subject in run.pipeline.subjects { targets[subject, default: []] += run.outputs }
      for output in run.outputs { patterns += run.pipeline.patterns.map { ($0, output) } }
    }
    for run in others where !files.names.contains(run.name) { add(run.standing) }
    guard !targets.isEmpty || !patterns.isEmpty else { return [] }
    return definitions.all.compactMap { definition in
      guard case .run(let run) = definition.content else { return nil }
      defer { add(run) }
      let circle = run.circle { name in
        (targets[name] ?? []) + patterns.filter { $0.set.contains(name) }.map(\.target)
      }
      return circle.map {
        definition.finding(.error, NameRefusal.cycle($0).text(for: definition.name))
      }
    }
  }

  /// Removes missing and changed definitions, and runs that use such a subject.
  private func remove(whatIsNot definitions: Definitions, _ changes: inout FileChanges) {
    var stale: [String] = []
    for name in registry.names where files.names.contains(name) {
      guard let old = registry[name] else { continue }
      if definitions[name] == nil, old.isShared {
        // It belongs to all servers, so only DELETE deletes it.
        changes.left.append(name)
        continue
      }
      if definitions[name]?.content.isSame(as: old.content) != true { stale.append(name) }
    }
    let areStale = Set(stale)
    let subjects = Set(stale.filter { registry.subject($0) != nil })
    for run in registry.runs where files.names.contains(run.name) && !areStale.contains(run.name) {
      if !subjects.isDisjoint(with: run.standing.pipeline.subjects + run.standing.outputs) {
        stale.append(run.name)
      }
    }
    // Runs end first, so that they do not fail for want of a subject.
    let runs = stale.filter { registry.run($0) != nil }
    for name in runs + stale.filter({ registry.run($0) == nil }) {
      delete(name)
      if definitions[name] == nil {
        changes.deleted.append(name)
      } else {
        changes.changed.append(name)
      }
    }
  }

  private func make(
    _ definition: Definition,
    isChanged: Set<String>,
    _ changes: inout FileChanges
  ) {
    let name = definition.name
    guard registry[name] == nil else {
      changes.unchanged += 1
      return
    }
    if !isChanged.contains(name) { changes.made.append(name) }
    defer {
      stores.makeWhatIsUnmade()
      notify(.defined(kind: definition.kind, name: name))
    }
    switch definition.content {
    case .subject(let settings):
      registry.add(.subject(stores.makeSubject(name, settings)), named: name)
    case .pipeline(let pipeline): registry.add(.pipeline(pipeline), named: name)
    case .run(let standing):
      let run = makeRun(name, standing, for: nil)
      registry.add(.run(run), named: name)
      run.start()
    case .broken: preconditionFailure("a broken definition has an error")
    }
  }
}

/// The definitions of files while they are being checked.
private final class FileCheck {
  var definitions: Definitions

  init(_ definitions: Definitions) { self.definitions = definitions }
}

private struct FileChanges {
  var made: [String] = []
  var changed: [String] = []
  var deleted: [String] = []
  /// Names in NATS that the files no longer define.
  var left: [String] = []
  var unchanged = 0

  var lines: [String] {
    var lines: [String] = []
    for (verb, names) in [
      ("made", made), ("changed", changed), ("deleted", deleted), ("left in NATS", left),
    ]
    where !names.isEmpty {
      lines.append("\(verb) \(names.joined(separator: ", "))")
    }
    return unchanged > 0 ? lines + ["unchanged: \(unchanged)"] : lines
  }
}
