internal import FlowFiles
internal import FlowLanguage
internal import FlowSubjects

/// Decides what a token may see; every command, page, event and metric that tells of names asks here.
///
/// - A name that the patterns of the token cover is *known*: its kind and its settings may be told.
/// - With the right `sub` it is *read*: its figures may be told.
/// - If all that a definition names is read, its *inside* may be told: its text, its stages, what passes
///   them, and how many values do. To everybody else a definition is one stage, `…`.
struct Gate {
  let registry: Registry
  let access: Access

  /// Stands for a text that may not be told.
  static let hidden = "…"

  func knows(_ name: String) -> Bool { access.shows(name) }

  func reads(_ name: String) -> Bool { access.allows(.subscribe, name) }

  /// Whether all of `names` are read, and all that made the failures of the subjects among them.
  func reads(all names: [String]) -> Bool {
    !access.isRestricted || access.reads(registry.origins(of: names))
  }

  func seesInside(_ pipeline: Pipeline) -> Bool { reads(all: pipeline.mentions) }

  func seesInside(_ run: RunDefinition) -> Bool { reads(all: run.mentions) }

  /// The same of what is called `name`; a subject has no inside.
  func seesInside(_ name: String) -> Bool { reads(all: mentions(of: name)) }

  /// All that the definition of `name` names.
  private func mentions(of name: String) -> [String] {
    switch registry[name]?.content {
    case .pipeline(let pipeline): pipeline.mentions
    case .run(let run): run.mentions
    case .subject, .broken, nil: []
    }
  }

  /// A text that was made of all `names`, or what stands for it.
  func visible(_ text: @autoclosure () -> String, of names: [String]) -> String {
    reads(all: names) ? text() : Self.hidden
  }

  /// The stages as they may be told, with one `nil` for those in a row whose inside is hidden.
  ///
  /// What the client has written itself, which `isOwn` says of the text, is no secret.
  func folded(_ stages: [StageDescription], of names: [String], isOwn: Bool) -> [StageDescription?]
  {
    guard !reads(all: names) else { return stages }
    return stages.reduce(into: []) { folded, stage in
      if isOwn, stage.pipeline == nil {
        folded.append(stage)
      } else if folded.isEmpty || folded.last != .some(nil) {
        folded.append(nil)
      }
    }
  }

  // MARK: What administrators see

  /// Whether the figures of the server as a whole, and what clients call themselves, may be told.
  var seesServer: Bool { access.allows(.administer) }

  /// Whether streams on `name` may be listed and ended.
  func administers(_ name: String) -> Bool { access.allows(.administer, name) }

  func administers(_ stream: OpenStream) -> Bool {
    guard access.isRestricted else { return true }
    if case .subscription(let subscription) = stream, subscription.isNameless {
      return subscription.origins.allSatisfy(administers)
    }
    return administers(stream.name)
  }

  /// Whether the figures of a stream may be told to those who read what it reads.
  func reads(_ stream: ClientSubscription) -> Bool {
    stream.isNameless ? reads(all: stream.origins) : reads(stream.name)
  }

  /// Whether the metrics of `name` may be told, to those who read it and to those who administer it.
  func measures(_ name: String) -> Bool { reads(name) || administers(name) }

  /// The same of the metrics of its inside.
  func measuresInside(_ name: String) -> Bool { mentions(of: name).allSatisfy(measures) }

  /// Whether a figure of the server may be told: some are those of a subject.
  func knows(_ sample: Metric.Sample) -> Bool {
    sample.labels.allSatisfy { $0.name != "subject" || knows($0.value) }
  }
}

extension Engine {
  func gate(for access: Access) -> Gate { Gate(registry: registry, access: access) }
}

extension Registry {
  /// `names`, and for subjects among them the names that their failures were made of.
  func origins(of names: [String]) -> [String] {
    names + names.flatMap { subject($0)?.failureOrigins ?? [] }
  }
}

extension RunDefinition {
  /// All that it names, its target too.
  var mentions: [String] { pipeline.mentions + [target] }
}

extension ClientSubscription {
  /// Whether it reads an expression that is no name.
  var isNameless: Bool { name == "-" }

  /// All that it reads.
  fileprivate var origins: [String] { pipeline?.mentions ?? source.names ?? [] }
}
