internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

// The topology, sent first and after each change.
extension WatchReport {
  /// The names, and the stages of the watched one.
  var topology: Value {
    let server: Value = .object([
      "version": .string(flowVersion),
      "started": .int(engine.startedAt),
      "values": .bool(engine.configuration.webShowsValues),
    ])
    let (told, total) = names
    return .object([
      "server": server,
      "changes": .int(changes),
      "total": .int(total),
      "names": .array(told.compactMap(row)),
      "watched": watched ?? .null,
      "sources": Self.words(of: .source),
      "operators": Self.words(of: .stage),
    ])
  }

  /// A number that changes with the topology.
  ///
  /// It counts all changes of definitions, which only tokens for all names may know; for others it
  /// is a hash of what they see.
  var changes: Int {
    guard gate.access.isRestricted else { return engine.registry.changes }
    let (told, total) = names
    let all = Value.array([.int(total), .array(told.compactMap(row)), watched ?? .null])
    // FNV-1a, cut to 52 bits, which JavaScript represents exactly.
    let hash = unsafe all.withBytes { bytes in
      unsafe bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
    return Int(hash >> 12)
  }

  /// The language's own words, for completion.
  private static func words(of role: OperatorEntry.Role) -> Value {
    .array(OperatorTable.all.filter { $0.role == role }.map { .string($0.name) })
  }

  private func row(_ name: String) -> Value? {
    guard let entry = engine.registry[name] else { return nil }
    let inside = gate.seesInside(name)
    let reads = entry.pipeline.map(sources(of:)) ?? []
    return .object([
      "name": .string(name),
      "kind": .string(entry.kind),
      "stages": .int(inside ? entry.pipeline?.stages.count ?? 1 : 1),
      "nats": engine.registry.subject(name)?.backend.map { _ in .bool(true) },
      "reads": reads.isEmpty ? nil : .array(reads.map(Value.string)),
      "feeds": inside ? engine.registry.run(name).map { .string($0.standing.target) } : nil,
    ])
  }

  /// The stages of the watched name; nil if it may not be read.
  private var watched: Value? {
    guard gate.reads(query.name), let entry = engine.registry[query.name] else { return nil }
    let inside = gate.seesInside(query.name)
    let hidden: Value = .object(["text": .string(Gate.hidden), "op": .string(Gate.hidden)])
    let stages: [Value] =
      engine.registry.subject(query.name).map { [stage(of: $0)] }
      ?? (inside ? entry.pipeline?.stages.map(stage) : nil) ?? [hidden]
    return .object([
      "name": .string(query.name),
      "kind": .string(entry.kind),
      "stages": .array(stages),
      "feeds": engine.registry.run(query.name).map {
        .string(inside ? $0.standing.target : Gate.hidden)
      },
    ])
  }

  private func stage(of subject: ServerSubject) -> Value {
    .object([
      "text": .string(subject.name),
      "op": .string("subject"),
      "flow": .string(subject.settings.flow.rawValue),
      "nats": subject.backend.map { _ in .bool(true) },
    ])
  }

  private func stage(_ stage: StageDescription) -> Value {
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

  /// The inner publishers of a stage, each as the texts of its stages.
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

extension Registry.Entry {
  fileprivate var pipeline: Pipeline? {
    switch self {
    case .subject: nil
    case .pipeline(let pipeline): pipeline
    case .run(let run): run.standing.pipeline
    }
  }
}
