internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

// What there is: told first, and whenever it changes.
extension WatchReport {
  /// The names, and the stages of the one that was chosen.
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
    guard let entry = engine.registry[name] else { return nil }
    let inside = gate.seesInside(name)
    let reads = entry.pipeline.map(sources(of:)) ?? []
    return .object([
      "name": .string(name),
      "kind": .string(entry.kind),
      "stages": .int(inside ? entry.pipeline?.stages.count ?? 1 : 1),
      "nats": entry.subject?.backend.map { _ in .bool(true) },
      "reads": reads.isEmpty ? nil : .array(reads.map(Value.string)),
      "feeds": inside ? entry.target.map(Value.string) : nil,
    ])
  }

  /// The stages of the chosen name; nil if it may not be read.
  private var watched: Value? {
    guard gate.reads(query.name), let entry = engine.registry[query.name] else { return nil }
    let inside = gate.seesInside(query.name)
    let hidden: Value = .object(["text": .string(Gate.hidden), "op": .string(Gate.hidden)])
    let stages: [Value] =
      entry.subject.map { [stage(of: $0)] }
      ?? (inside ? entry.pipeline?.stages.map(stage) : nil) ?? [hidden]
    return .object([
      "name": .string(query.name),
      "kind": .string(entry.kind),
      "stages": .array(stages),
      "feeds": entry.target.map { .string(inside ? $0 : Gate.hidden) },
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

extension Registry.Entry {
  fileprivate var subject: ServerSubject? {
    if case .subject(let subject) = self { subject } else { nil }
  }

  fileprivate var pipeline: Pipeline? {
    switch self {
    case .subject: nil
    case .pipeline(let pipeline): pipeline
    case .run(let run): run.standing.pipeline
    }
  }

  fileprivate var target: String? {
    if case .run(let run) = self { run.standing.target } else { nil }
  }
}
