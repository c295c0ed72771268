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
      "changes": .int(changes),
      "total": .int(total),
      "names": .array(told.compactMap(row)),
      "watched": watched ?? .null,
      "sources": Self.words(of: .source),
      "operators": Self.words(of: .stage),
    ])
  }

  /// A number that changes whenever the topology does.
  ///
  /// It counts changes of all definitions, which only tokens for all names may know. For others it is a hash of
  /// the topology that they see.
  var changes: Int {
    guard gate.access.isRestricted else { return engine.registry.changes }
    let (told, total) = names
    let all = Value.array([.int(total), .array(told.compactMap(row)), watched ?? .null])
    // FNV-1a, of which JavaScript reads 52 bits exactly.
    let hash = unsafe all.withBytes { bytes in
      unsafe bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
    return Int(hash >> 12)
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
        "nats": subject.backend.map { _ in .bool(true) },
      ])
    case .pipeline(let pipeline):
      .object([
        "name": .string(name), "kind": .string("pipeline"),
        "stages": .int(gate.seesInside(pipeline) ? pipeline.stages.count : 1),
        "reads": reads(pipeline),
      ])
    case .run(let run):
      .object([
        "name": .string(name), "kind": .string("run"),
        "stages": .int(gate.seesInside(run.standing) ? run.standing.pipeline.stages.count : 1),
        "reads": reads(run.standing.pipeline),
        "feeds": gate.seesInside(run.standing) ? .string(run.standing.target) : nil,
      ])
    case nil: nil
    }
  }

  private func reads(_ pipeline: Pipeline) -> Value? {
    let shown = sources(of: pipeline)
    return shown.isEmpty ? nil : .array(shown.map(Value.string))
  }

  /// The stages of the chosen name; `nil` if it may not be read.
  private var watched: Value? {
    guard gate.reads(query.name) else { return nil }
    switch engine.registry[query.name] {
    case .subject(let subject):
      let stage = Value.object([
        "text": .string(subject.name), "op": .string("subject"),
        "flow": .string(subject.settings.flow.rawValue),
        "nats": subject.backend.map { _ in .bool(true) },
      ])
      return .object([
        "name": .string(subject.name), "kind": .string("subject"), "stages": .array([stage]),
      ])
    case .pipeline(let pipeline):
      let inside = gate.seesInside(pipeline)
      return .object([
        "name": .string(query.name), "kind": .string("pipeline"),
        "stages": inside ? stages(of: pipeline) : Self.hiddenStages,
      ])
    case .run(let run):
      let inside = gate.seesInside(run.standing)
      return .object([
        "name": .string(query.name), "kind": .string("run"),
        "stages": inside ? stages(of: run.standing.pipeline) : Self.hiddenStages,
        "feeds": .string(inside ? run.standing.target : Gate.hidden),
      ])
    case nil: return nil
    }
  }

  /// The one stage that stands for a hidden inside.
  private static var hiddenStages: Value {
    let stage = Value.object(["text": .string(Gate.hidden), "op": .string(Gate.hidden)])
    return .array([stage])
  }

  private func stages(of pipeline: Pipeline) -> Value {
    .array(
      pipeline.stages.map { stage in
        let demand = stage.demand
        let subject = stage.name == nil ? engine.registry.subject(stage.text) : nil
        return .object([
          "text": .string(stage.text),
          "op": .string(stage.name ?? "subject"),
          "flow": subject.map { .string($0.settings.flow.rawValue) },
          "nats": subject?.backend.map { _ in .bool(true) },
          "holds": demand.holds == .nothing ? nil : demand.holds.limit.map(Value.int) ?? .null,
          "publishers": stage.publishersAtOnce.map(Value.int),
          "asks": .string(demand.asks),
          "full": .string(demand.full),
          "of": stage.pipeline.map(Value.string),
          "inner": inner(of: stage),
        ])
      }
    )
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
