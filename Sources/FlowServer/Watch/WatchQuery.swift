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

  init(name: String = "", stream: String = "", filter: String = "") {
    self.name = name
    self.stream = stream
    self.filter = filter
  }

  /// What a WATCH asks for.
  init(_ name: String?, _ stream: StreamPlace?, _ filter: String?) {
    self.init(name: name ?? "", stream: stream?.description ?? "", filter: filter ?? "")
  }

  /// The most names that are told.
  static let mostNames = 1000

  /// Whether `name` is one of those that are told.
  func fits(_ name: String) -> Bool {
    filter.isEmpty || name.lowercased().contains(filter.lowercased())
  }
}

/// Makes what is told of what a watch has seen, to somebody who may not know all of it.
struct WatchReport {
  let engine: Engine
  let access: Access
  let query: WatchQuery

  /// The names that are told, in their order, no more than there may be; and how many fit.
  var names: (told: [String], total: Int) {
    let fitting = engine.registry.names.filter { access.shows($0) && query.fits($0) }.sorted()
    return (Array(fitting.prefix(WatchQuery.mostNames)), fitting.count)
  }

  /// The names that a pipeline reads, with the first subjects of its patterns.
  func known(_ pipeline: Pipeline) -> [String] {
    let subjects = engine.registry.subjects(in: pipeline.patterns).prefix(Self.mostOfPatterns)
    return known(pipeline.mentions + subjects.filter { !pipeline.mentions.contains($0) })
  }

  /// More would be no drawing.
  private static let mostOfPatterns = 64

  /// Those of `mentions` that are defined and may be known.
  private func known(_ mentions: [String]) -> [String] {
    mentions.filter { access.shows($0) && engine.registry[$0] != nil }
  }

  /// Whether clients may be told apart by more than their numbers.
  var showsClients: Bool { access.allows(.administer) }

  /// A text made of all `names`, or what stands for it.
  func visible(_ text: String, of names: [String]) -> String {
    engine.reads(names, access) ? text : Report.hidden
  }

  /// What a pipeline or run names.
  private func mentions(of name: String) -> [String] {
    switch engine.registry[name] {
    case .pipeline(let pipeline): pipeline.mentions
    case .run(let run): run.mentions
    case .subject, nil: []
    }
  }

  /// A verdict without what the reader may not know.
  func visible(_ verdict: Verdict, of name: String) -> Verdict {
    guard access.isRestricted else { return verdict }
    var shown = verdict
    if let other = verdict.name, !access.shows(other) {
      shown.name = nil
      shown.stream = nil
      let clause = verdict.text.firstRange(of: ": run ")
      shown.text =
        verdict.code == .elsewhere
        ? "Held up elsewhere." : clause.map { "\(verdict.text[..<$0.lowerBound])." } ?? ""
      shown.hint = ""
    }
    if let service = verdict.service, !access.shows(service.name) {
      shown.text = service.textWithout
      shown.hint = ""
    }
    if verdict.code == .quiet, !engine.reads(mentions(of: name), access) {
      shown.name = nil
      shown.text = "Quiet."
      shown.hint = ""
    }
    if !showsClients, let end = verdict.end, let cut = end.firstIndex(of: "(") {
      shown.end = String(end[..<cut].dropLast())
      shown.text = verdict.text.replacing(end, with: shown.end ?? "")
    }
    if case .failed = verdict.code, let run = engine.registry.run(name),
      !engine.reads(run.mentions, access)
    {
      shown.text = "Failed."
    }
    return shown
  }
}

extension Value {
  /// An object with these members, in their order; those without a value are left out.
  static func object(_ members: KeyValuePairs<String, Value?>) -> Value {
    .object(
      JSONObject(
        members: members.compactMap { key, value in value.map { .init(key: key, value: $0) } }
      )
    )
  }

  static func array(_ elements: some Sequence<Value>) -> Value { .array(JSONArray(elements)) }

  /// A number with at most so many digits behind the point.
  static func rounded(_ number: Double, _ digits: Int = 3) -> Value {
    let scale = [1.0, 10, 100, 1000][digits]
    let value = (number * scale).rounded() / scale
    return Int(exactly: value).map(Value.int) ?? .double(value)
  }

  /// Demand: a number, or `max`.
  static func demand(_ demand: Int) -> Value {
    demand == .max ? .string("max") : .int(max(0, demand))
  }
}
