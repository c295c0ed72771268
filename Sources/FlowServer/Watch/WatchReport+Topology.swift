internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

// What there is: told first, and whenever it changes.
extension WatchReport {
  /// The names, and the stages of the one that was chosen.
  var topology: Value {
    let (told, total) = names
    return .object([
      "server": .object([
        "version": .string(flowVersion),
        "started": .int(engine.startedAt),
        "values": .bool(engine.configuration.webShowsValues),
      ]),
      "changes": .int(engine.registry.changes),
      "total": .int(total),
      "names": .array(told.compactMap(row)),
      "watched": watched ?? .null,
      "sources": Self.words(of: .source),
      "operators": Self.words(of: .stage),
    ])
  }

  /// What the language has of its own, for those who type a pipeline.
  private static func words(of role: OperatorEntry.Role) -> Value {
    .array(OperatorTable.all.filter { $0.role == role }.map { .string($0.name) })
  }

  private func row(_ name: String) -> Value? {
    switch engine.registry[name] {
    case .subject(let subject):
      .object([
        "name": .string(name), "kind": .string("subject"), "stages": .int(1),
        "nats": subject.settings.nats == nil ? nil : .bool(true),
      ])
    case .pipeline(let pipeline):
      .object([
        "name": .string(name), "kind": .string("pipeline"), "stages": .int(pipeline.stages.count),
        "reads": reads(pipeline),
      ])
    case .run(let run):
      .object([
        "name": .string(name), "kind": .string("run"),
        "stages": .int(run.standing.pipeline.stages.count),
        "reads": reads(run.standing.pipeline),
        "feeds": access.shows(run.standing.target) ? .string(run.standing.target) : nil,
      ])
    case nil: nil
    }
  }

  private func reads(_ pipeline: Pipeline) -> Value? {
    let shown = known(pipeline)
    return shown.isEmpty ? nil : .array(shown.map(Value.string))
  }

  /// The stages of what was chosen; `nil` if that is nothing that may be known.
  private var watched: Value? {
    guard access.shows(query.name) else { return nil }
    switch engine.registry[query.name] {
    case .subject(let subject):
      let stage = Value.object([
        "text": .string(subject.name), "op": .string("subject"),
        "flow": .string(subject.settings.flow.rawValue),
        "nats": subject.settings.nats == nil ? nil : .bool(true),
      ])
      return .object([
        "name": .string(subject.name), "kind": .string("subject"), "stages": .array([stage]),
      ])
    case .pipeline(let pipeline):
      return .object([
        "name": .string(query.name), "kind": .string("pipeline"),
        "stages": .array(stages(of: pipeline)),
      ])
    case .run(let run):
      return .object([
        "name": .string(query.name), "kind": .string("run"),
        "stages": .array(stages(of: run.standing.pipeline)),
        "feeds": .string(access.shows(run.standing.target) ? run.standing.target : Report.hidden),
      ])
    case nil: return nil
    }
  }

  private func stages(of pipeline: Pipeline) -> [Value] {
    let readsAll = engine.reads(pipeline.mentions, access)
    return pipeline.stages.map { stage in
      let demand = stage.demand
      let subject = stage.name == nil ? engine.registry.subject(stage.text) : nil
      return .object([
        "text": .string(readsAll ? stage.text : Report.hidden),
        "op": .string(stage.name ?? "subject"),
        "flow": subject.map { .string($0.settings.flow.rawValue) },
        "nats": subject?.settings.nats == nil ? nil : .bool(true),
        "holds": demand.holds == .nothing ? nil : demand.holds.limit.map(Value.int) ?? .null,
        "publishers": stage.publishersAtOnce.map(Value.int),
        "asks": .string(demand.asks),
        "full": .string(demand.full),
        "of": stage.pipeline.flatMap { access.shows($0) ? .string($0) : nil },
        "inner": readsAll ? inner(of: stage) : nil,
      ])
    }
  }

  /// The publishers that a stage subscribes to beside its upstream, each as the texts of its stages.
  private func inner(of stage: StageDescription) -> Value? {
    guard !stage.branches.isEmpty else { return nil }
    return .array(
      stage.branches.map { branch in
        .object([
          "text": .string(branch.map(\.text).joined(separator: ".")),
          "asks": branch.lazy.compactMap(\.service).first.map(Value.string),
        ])
      }
    )
  }
}
