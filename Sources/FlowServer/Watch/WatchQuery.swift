internal import FlowLanguage
internal import FlowWire

/// What a client watches: a name closely, one of its runs, and a filter of names.
struct WatchQuery: Hashable {
  var name = ""
  /// `CLIENT.ID`; empty for all runs.
  var stream = ""
  /// Parts of names to include; empty for all.
  var filter = ""
  /// The number of the asking client; nil for a page.
  var asker: Int?

  /// How many names are shown at most.
  static let mostNames = 1000

  /// Whether the filter includes `name`.
  func fits(_ name: String) -> Bool {
    filter.isEmpty || name.lowercased().contains(filter.lowercased())
  }
}

extension WatchQuery {
  init(_ name: String?, _ stream: StreamPlace?, _ filter: String?) {
    self.init(name: name ?? "", stream: stream?.description ?? "", filter: filter ?? "")
  }
}

/// What a watch has found, for a client that may not know everything.
struct WatchReport {
  let engine: Engine
  let gate: Gate
  let query: WatchQuery

  /// The shown names in order, and how many match.
  var names: (told: [String], total: Int) {
    let fitting = engine.registry.names.filter { gate.reads($0) && query.fits($0) }.sorted()
    return (Array(fitting.prefix(WatchQuery.mostNames)), fitting.count)
  }

  /// The names that a pipeline reads, with some matches of its patterns; none if hidden.
  func sources(of pipeline: Pipeline) -> [String] {
    guard gate.seesInside(pipeline) else { return [] }
    let subjects = engine.registry.subjects(in: pipeline.patterns).prefix(Self.mostOfPatterns)
    let mentions = pipeline.mentions
    let names = mentions + subjects.filter { !mentions.contains($0) }
    return names.filter { engine.registry[$0] != nil && gate.knows($0) }
  }

  /// More would make the drawing useless.
  private static let mostOfPatterns = 64

  /// The verdict without what the reader may not know.
  func visible(_ verdict: Verdict, of name: String) -> Verdict {
    let inside = gate.seesInside(name)
    guard inside, verdict.mentions.allSatisfy(gate.knows) else {
      return verdict.withoutNames(inside: inside)
    }
    return gate.seesServer ? verdict : verdict.withoutLabels
  }
}
