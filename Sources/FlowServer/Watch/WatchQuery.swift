internal import FlowLanguage
internal import FlowWire

/// What somebody wants to be told of: a name closely, one run of it, and names that contain a text.
struct WatchQuery: Hashable {
  var name = ""
  /// `CLIENT.ID`; empty for all that run it.
  var stream = ""
  /// Parts of the names that are told; empty for all.
  var filter = ""
  /// The number of the client that asks; nil for a page.
  var asker: Int?

  /// The most names that are told.
  static let mostNames = 1000

  /// Whether `name` is one of those that are told.
  func fits(_ name: String) -> Bool {
    filter.isEmpty || name.lowercased().contains(filter.lowercased())
  }
}

extension WatchQuery {
  /// What a WATCH asks for.
  init(_ name: String?, _ stream: StreamPlace?, _ filter: String?) {
    self.init(name: name ?? "", stream: stream?.description ?? "", filter: filter ?? "")
  }
}

/// Makes what is told of what a watch has seen, to somebody who may not know all of it.
struct WatchReport {
  let engine: Engine
  let gate: Gate
  let query: WatchQuery

  /// The names that are told, in their order, no more than there may be; and how many fit.
  var names: (told: [String], total: Int) {
    let fitting = engine.registry.names.filter { gate.reads($0) && query.fits($0) }.sorted()
    return (Array(fitting.prefix(WatchQuery.mostNames)), fitting.count)
  }

  /// The names that a pipeline reads, with the first subjects of its patterns; none if its inside is hidden.
  func sources(of pipeline: Pipeline) -> [String] {
    guard gate.seesInside(pipeline) else { return [] }
    let subjects = engine.registry.subjects(in: pipeline.patterns).prefix(Self.mostOfPatterns)
    let mentions = pipeline.mentions
    let names = mentions + subjects.filter { !mentions.contains($0) }
    return names.filter { engine.registry[$0] != nil && gate.knows($0) }
  }

  /// More would be no drawing.
  private static let mostOfPatterns = 64

  /// A verdict without what the reader may not know.
  func visible(_ verdict: Verdict, of name: String) -> Verdict {
    let inside = gate.seesInside(name)
    guard inside, verdict.mentions.allSatisfy(gate.knows) else {
      return verdict.withoutNames(inside: inside)
    }
    return gate.seesServer ? verdict : verdict.withoutLabels
  }
}
