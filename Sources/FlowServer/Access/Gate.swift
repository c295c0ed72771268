internal import FlowFiles
internal import FlowLanguage
internal import FlowSubjects

/// Decides what a token may see in commands, pages, events and metrics.
///
/// - A name that the token's patterns cover is *known*: its kind and settings may be shown.
/// - A known name with the right `sub` is *read*: its figures may be shown.
/// - If every name in a definition is read, its *inside* may be shown: its text, its stages and
///   their values. Otherwise the definition is shown as one stage, `…`.
package struct Gate {
  let registry: Registry
  let access: Access

  /// Replaces a text that may not be shown.
  static let hidden = "…"

  package func knows(_ name: String) -> Bool { access.shows(name) }

  func reads(_ name: String) -> Bool { access.allows(.subscribe, name) }

  /// Whether all of `names` are read, and all names whose values may show in their failures.
  func reads(all names: @autoclosure () -> [String]) -> Bool {
    !access.isRestricted || access.reads(registry.origins(of: names()))
  }

  func seesInside(_ pipeline: Pipeline) -> Bool { reads(all: pipeline.mentions) }

  func seesInside(_ run: RunDefinition) -> Bool { reads(all: run.mentions) }

  /// Whether the inside of the definition `name` may be shown; true for a subject.
  func seesInside(_ name: String) -> Bool { reads(all: mentions(of: name)) }

  private func mentions(of name: String) -> [String] {
    switch registry[name]?.content {
    case .pipeline(let pipeline): pipeline.mentions
    case .run(let run): run.mentions
    case .subject, .broken, nil: []
    }
  }

  /// Returns `text` if all `names` that it was made of are read, else `hidden`.
  func visible(
    _ text: @autoclosure () -> String,
    of names: @autoclosure () -> [String]
  ) -> String {
    reads(all: names()) ? text() : Self.hidden
  }

  /// The stages with one `nil` for each group of hidden ones.
  ///
  /// With `isOwn` the client wrote the text itself, so only inlined pipelines are hidden.
  func folded(
    _ stages: [StageDescription],
    of names: @autoclosure () -> [String],
    isOwn: Bool
  ) -> [StageDescription?] {
    guard !reads(all: names()) else { return stages }
    return stages.reduce(into: []) { folded, stage in
      if isOwn, stage.pipeline == nil {
        folded.append(stage)
      } else if folded.isEmpty || folded.last != .some(nil) {
        folded.append(nil)
      }
    }
  }

  // MARK: What administrators see

  /// Whether figures of the whole server and the names of clients may be shown.
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

  /// Whether the figures of a stream may be shown.
  func reads(_ stream: ClientSubscription) -> Bool {
    stream.isNameless ? reads(all: stream.origins) : reads(stream.name)
  }

  func measures(_ name: String) -> Bool { reads(name) || administers(name) }

  func measuresInside(_ name: String) -> Bool { mentions(of: name).allSatisfy(measures) }
}

extension Engine {
  func gate(for access: Access) -> Gate { Gate(registry: registry, access: access) }
}

extension Registry {
  /// Returns `names`, and for each failed subject the names that its failure came from.
  func origins(of names: [String]) -> [String] {
    names + names.flatMap { subject($0)?.failureOrigins ?? [] }
  }
}

extension RunDefinition {
  var mentions: [String] { pipeline.mentions + [target] }
}

extension ClientSubscription {
  /// Whether it reads an expression.
  var isNameless: Bool { name == "-" }

  fileprivate var origins: [String] { pipeline?.mentions ?? source.names ?? [] }
}
