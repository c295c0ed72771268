internal import FlowLanguage
internal import FlowWire

/// The one name space of subjects, pipelines and runs.
final class Registry {
  enum Entry {
    case subject(ServerSubject)
    case pipeline(Pipeline)
    case run(Run)

    var kind: String {
      switch self {
      case .subject: "subject"
      case .pipeline: "pipeline"
      case .run: "run"
      }
    }

    /// Ends what the name stood for; whoever uses a pipeline goes on with it.
    func end() {
      switch self {
      case .subject(let subject): subject.delete()
      case .pipeline: break
      case .run(let run): run.stop()
      }
    }
  }

  /// Subjects, and as many pipelines and runs again.
  var limit: Int
  private var entries: [String: (entry: Entry, place: Int)] = [:]
  /// The names by their places, in the order of definition; `nil` where one was removed.
  private var order: [String?] = []
  /// How many there are of each kind.
  private var counts: [String: Int] = [:]

  /// The server's own subjects: their names begin with `$`, and LIST leaves them out.
  var own: [ServerSubject] = []

  init(limit: Int) { self.limit = limit }

  subscript(name: String) -> Entry? { entries[name]?.entry ?? own(name).map(Entry.subject) }

  func subject(_ name: String) -> ServerSubject? {
    guard case .subject(let subject) = self[name] else { return nil }
    return subject
  }

  private func own(_ name: String) -> ServerSubject? {
    name.utf8.first == UInt8(ascii: "$") ? own.first { $0.name == name } : nil
  }

  /// All names, in the order of definition.
  var names: [String] { order.compactMap(\.self) }

  /// All names that something can be subscribed to by.
  var sources: [String] { names + own.map(\.name) }

  /// Whether as many things of the kind of `entry` exist as may.
  func isFull(for entry: Entry) -> Bool { counts[entry.kind, default: 0] >= limit }

  /// Adds what has a new name.
  func add(_ entry: Entry, named name: String) {
    precondition(entries[name] == nil, "\(name) is defined already")
    entries[name] = (entry, order.count)
    order.append(name)
    counts[entry.kind, default: 0] += 1
  }

  func remove(_ name: String) -> Entry? {
    guard let (entry, place) = entries.removeValue(forKey: name) else { return nil }
    order[place] = nil
    counts[entry.kind, default: 0] -= 1
    closeGaps()
    return entry
  }

  /// Moves the names together when most places are empty, so that removing one costs the same
  /// however many there are.
  private func closeGaps() {
    guard order.count > 2 * entries.count else { return }
    order = names
    for case let (place, name?) in order.enumerated() { entries[name]?.place = place }
  }

  /// All subjects, in the order of definition.
  var subjects: [ServerSubject] { names.compactMap { subject($0) } }

  /// All runs, in the order of definition.
  var runs: [Run] {
    names.compactMap { if case .run(let run) = self[$0] { run } else { nil } }
  }

  /// Compiles `expression`; the names in it are resolved now.
  func compile(
    _ expression: Expression,
    named name: String? = nil
  ) throws(Diagnostic) -> Pipeline {
    try Pipeline(expression.text, named: name, lookup: source, names: { self.sources })
  }

  /// Compiles the `expression` of a run.
  func compileStanding(
    _ expression: Expression,
    named name: String? = nil
  ) throws(Diagnostic) -> StandingPipeline {
    try StandingPipeline(expression.text, named: name, lookup: source, names: { self.names })
  }

  /// The names that stand in `expression`, a run's target among them.
  func names(in expression: Expression) -> Set<String> {
    if entries[expression.text] != nil { return [expression.text] }
    var found: Set<String> = []
    let lookup = { (name: String) in
      let source = self.source(name)
      if source != nil { found.insert(name) }
      return source
    }
    _ = try? StandingPipeline(expression.text, lookup: lookup, names: { [] })
    _ = try? Pipeline(expression.text, lookup: lookup, names: { [] })
    return found
  }

  /// The services that stand in `expression`, a run's too.
  func services(in expression: Expression) -> [String] {
    if entries[expression.text] != nil { return [] }
    if let standing = try? compileStanding(expression) { return standing.pipeline.services }
    return (try? compile(expression))?.services ?? []
  }

  private func source(_ name: String) -> NamedSource? {
    switch self[name] {
    case .subject: .subject
    case .pipeline(let pipeline): .pipeline(pipeline)
    case .run(let run): .run(target: run.standing.target)
    case nil: nil
    }
  }

  /// The subjects on a way from `start` to one of `goals` over the runs there are, both ends
  /// included.
  func way(from start: String, to goals: Set<String>) -> [String]? {
    var targets: [String: [String]] = [:]
    for run in runs where run.isRunning {
      for subject in run.standing.pipeline.subjects {
        targets[subject, default: []].append(run.standing.target)
      }
    }
    var cameFrom: [String: String] = [:]
    var next = [start]
    var seen: Set = [start]
    while let subject = next.popLast() {
      guard !goals.contains(subject) else {
        return Array(sequence(first: subject) { cameFrom[$0] }.reversed())
      }
      for target in targets[subject] ?? [] where seen.insert(target).inserted {
        cameFrom[target] = subject
        next.append(target)
      }
    }
    return nil
  }
}
