internal import FlowFiles
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The shared name space of subjects, pipelines and runs.
final class Registry {
  enum Entry {
    case subject(ServerSubject)
    case pipeline(Pipeline)
    case run(Run)

    var kind: String { content.kind }

    /// The definition, as a file would spell it.
    var content: Definition.Content {
      switch self {
      case .subject(let subject): .subject(subject.settings)
      case .pipeline(let pipeline): .pipeline(pipeline)
      case .run(let run): .run(run.standing)
      }
    }

    /// Whether a store has it, for all servers.
    var isShared: Bool {
      switch self {
      case .subject(let subject): subject.backend != nil
      case .pipeline: false
      case .run(let run): run.backend != nil
      }
    }

    /// Ends what the name stood for; running pipelines go on.
    func end() {
      switch self {
      case .subject(let subject): subject.delete()
      case .pipeline(let pipeline): pipeline.endTap()
      case .run(let run): run.stop()
      }
    }
  }

  var limits: NameLimits
  private var entries: [String: (entry: Entry, place: Int)] = [:]
  /// The names in order of definition; `nil` where one was removed.
  private var order: [String?] = []
  /// The runs that read a subject, by its name.
  private var readers: [String: [Run]] = [:]
  private var patternReaders: [Run] = []
  /// Subscriptions to patterns of subjects, which learn of new subjects.
  let setReaders = SubjectSetReaders()
  private(set) var changes = 0
  /// The approximate memory of all definitions.
  private(set) var bytes = 0
  private var counts: [String: Int] = [:]

  /// Subjects whose names begin with `$`; LIST leaves them out.
  var own: [ServerSubject] = []

  init(limits: NameLimits) { self.limits = limits }

  /// What `name`, which may be any text, stands for.
  subscript(name: String) -> Entry? {
    // Not worth hashing.
    guard name.utf8.count <= Self.longestName else { return nil }
    if let last, last.name == name { return last.entry }
    guard let entry = entries[name]?.entry else { return own(name).map(Entry.subject) }
    last = (name, entry)
    return entry
  }

  /// The last lookup, which is likely to be repeated.
  private var last: (name: String, entry: Entry)?

  /// The most bytes of a name, including a leading `$`.
  private static let longestName = 129

  func subject(_ name: String) -> ServerSubject? {
    guard case .subject(let subject) = self[name] else { return nil }
    return subject
  }

  func run(_ name: String) -> Run? {
    guard case .run(let run) = self[name] else { return nil }
    return run
  }

  private func own(_ name: String) -> ServerSubject? {
    name.utf8.first == UInt8(ascii: "$") ? own.first { $0.name == name } : nil
  }

  /// All names, in order of definition.
  var names: [String] {
    if let known { return known }
    let names = order.compactMap(\.self)
    known = names
    return names
  }

  private var known: [String]?

  /// All names that can be subscribed to.
  var sources: [String] { names + own.map(\.name) }

  func add(_ entry: Entry, named name: String) {
    precondition(entries[name] == nil, "\(name) is defined already")
    entries[name] = (entry, order.count)
    changes += 1
    order.append(name)
    known = nil
    bytes += entry.content.bytes
    counts[entry.kind, default: 0] += 1
    if case .run(let run) = entry {
      for subject in run.standing.pipeline.subjects { readers[subject, default: []].append(run) }
      if !run.standing.pipeline.patterns.isEmpty { patternReaders.append(run) }
    }
    if case .subject = entry { setReaders.isMade(name) }
  }

  func remove(_ name: String) -> Entry? {
    guard let (entry, place) = entries.removeValue(forKey: name) else { return nil }
    last = nil
    changes += 1
    order[place] = nil
    known = nil
    bytes -= entry.content.bytes
    counts[entry.kind, default: 0] -= 1
    closeGaps()
    if case .run(let run) = entry { forgetReads(of: run) }
    return entry
  }

  private func forgetReads(of run: Run) {
    if !run.standing.pipeline.patterns.isEmpty { patternReaders.removeAll { $0 === run } }
    for subject in run.standing.pipeline.subjects {
      guard var runs = readers.removeValue(forKey: subject),
        let place = runs.firstIndex(where: { $0 === run })
      else { continue }
      runs.swapAt(place, runs.count - 1)
      runs.removeLast()
      if !runs.isEmpty { readers[subject] = runs }
    }
  }

  /// Compacts `order` when most of it is empty, so that removal has constant cost.
  private func closeGaps() {
    guard order.count > 2 * entries.count else { return }
    order = names
    for case let (place, name?) in order.enumerated() { entries[name]?.place = place }
  }

  var subjects: [ServerSubject] { names.compactMap { subject($0) } }

  /// The names of the subjects in one of `sets`, in order of definition.
  func subjects(in sets: [SubjectSet]) -> [String] {
    sets.isEmpty
      ? []
      : names.filter { name in sets.contains { $0.contains(name) } && subject(name) != nil }
  }

  var pipelines: [(name: String, pipeline: Pipeline)] {
    names.compactMap { name in
      if case .pipeline(let pipeline) = self[name] { (name, pipeline) } else { nil }
    }
  }

  var runs: [Run] {
    names.compactMap { if case .run(let run) = self[$0] { run } else { nil } }
  }

  func sources(for access: Access) -> [String] {
    access.isRestricted ? sources.filter(access.shows) : sources
  }

  /// Compiles `expression`; names that the client may not know count as undefined.
  func compile(
    _ expression: Expression,
    named name: String? = nil,
    for access: Access
  ) throws(Diagnostic) -> Pipeline {
    try Pipeline(
      expression.text,
      named: name,
      lookup: { self.source($0, for: access) },
      names: { self.sources(for: access) }
    )
  }

  func compileStanding(
    _ expression: Expression,
    named name: String? = nil,
    restart: Int64? = nil,
    failed: String? = nil,
    for access: Access
  ) throws(Diagnostic) -> RunDefinition {
    try RunDefinition(
      expression.text,
      named: name,
      restart: restart,
      failed: failed,
      lookup: { self.source($0, for: access) },
      names: { self.names.filter(access.shows) }
    )
  }

  /// Returns the hidden name in a refused `expression`.
  ///
  /// Gives the same result whether or not the name exists. If the mistake is where a word with
  /// hyphens ends, all such words count as names.
  func hiddenName(
    in expression: Expression,
    refusedWith diagnostic: Diagnostic,
    from access: Access
  ) -> Diagnostic.Unknown? {
    guard access.isRestricted else { return nil }
    if let unknown = hidden(diagnostic, from: access) { return unknown }
    let lookup = { (name: String) -> NamedSource? in
      if access.shows(name) || NamedSource.isPattern(name) { return self.source(name, for: access) }
      let isLikely = name.contains("-") || name.first?.isLowercase == true
      return isLikely && OperatorTable.entry(name) == nil ? .hidden : nil
    }
    do throws(Diagnostic) {
      _ = try RunDefinition(expression.text, lookup: lookup, names: { [] })
    } catch {
      if let unknown = hidden(error, from: access) { return unknown }
    }
    do throws(Diagnostic) {
      _ = try Pipeline(expression.text, lookup: lookup, names: { [] })
    } catch {
      return hidden(error, from: access)
    }
    return nil
  }

  private func hidden(_ diagnostic: Diagnostic, from access: Access) -> Diagnostic.Unknown? {
    switch diagnostic.unknown {
    case .source(let name)?, .target(let name)?: access.shows(name) ? nil : diagnostic.unknown
    case nil: nil
    }
  }

  private func source(_ name: String, for access: Access) -> NamedSource? {
    if let pattern = NamedSource.pattern(name, where: access.readable) { return pattern }
    guard access.shows(name) else { return nil }
    return switch self[name] {
    case .subject: .subject
    case .pipeline(let pipeline):
      Gate(registry: self, access: access).seesInside(pipeline)
        ? NamedSource.pipeline(pipeline) : .opaque(pipeline)
    case .run(let run) where access.shows(run.standing.target):
      .run(target: run.standing.target)
    case .run: .run(target: "a subject")
    case nil: nil
    }
  }
}

extension Definition.Content {
  var bytes: Int {
    switch self {
    case .subject(let settings):
      if case .current(let initial) = settings.kind { 1024 + initial.count } else { 1024 }
    case .pipeline(let pipeline): pipeline.bytes
    case .run(let run): 1024 + run.pipeline.bytes
    case .broken: 0
    }
  }
}

extension Registry: NameSpace {
  func content(of name: String) -> Definition.Content? { self[name]?.content }

  func count(of kind: String) -> Int { counts[kind, default: 0] }

  func targets(ofRunsReading subject: String) -> [String] {
    let others = patternReaders.filter { run in
      run.standing.pipeline.patterns.contains { $0.contains(subject) }
    }
    return (readers[subject, default: []] + others).filter(\.isRunning)
      .flatMap(\.standing.outputs)
  }
}
