internal import FlowSubjects

/// The names whose values are followed, which takes some time in each turn.
struct FollowedNames {
  fileprivate enum Entry {
    case subject(ServerSubject, WatchedSubject)
    case run(WatchedRun)

    var id: ObjectIdentifier {
      switch self {
      case .subject(_, let seen): ObjectIdentifier(seen)
      case .run(let run): ObjectIdentifier(run)
      }
    }
  }

  private var entries: [Entry] = []
  /// The names besides the chosen ones.
  private var others: ArraySlice<String> = []
  /// The number of the next other name.
  private var place = 0

  /// How many other names are followed at a time.
  private static let mostOthers = 16
  /// How many runs of a chosen name are followed; of the others, one.
  private static let mostRuns = 4

  /// Follows the chosen names, and the next of the others if it `turnsOn`.
  mutating func choose(_ chosen: Set<String>, turnsOn: Bool, _ watch: Watch) {
    if turnsOn {
      let all = watch.engine.registry.names
      if place >= all.count { place = 0 }
      others = all[place...].prefix(Self.mostOthers)
      place += others.count
    }
    let before = Set(entries.map(\.id))
    entries = chosen.union(others).flatMap { name in
      Self.entries(of: name, runs: chosen.contains(name) ? Self.mostRuns : 1, watch)
    }
    for entry in entries where !before.contains(entry.id) { entry.forgetCount() }
  }

  private static func entries(of name: String, runs: Int, _ watch: Watch) -> [Entry] {
    if let subject = watch.engine.registry.subject(name) {
      return watch.subjects[name].map { [Entry.subject(subject, $0)] } ?? []
    }
    return watch.names[name]?.runs.prefix(runs).map { Entry.run($0) } ?? []
  }

  func turnEnds(from start: Int64, to end: Int64) {
    for entry in entries { entry.turnEnds(from: start, to: end) }
  }
}

extension FollowedNames.Entry {
  fileprivate func turnEnds(from start: Int64, to end: Int64) {
    switch self {
    case .subject(let subject, let seen): seen.turnEnds(subject, from: start, to: end)
    case .run(let run): run.turnEnds(from: start, to: end)
    }
  }

  /// Takes what came before it was followed for no news.
  fileprivate func forgetCount() {
    switch self {
    case .subject(_, let seen): seen.forgetCount()
    case .run(let run): run.forgetCount()
    }
  }
}
