internal import FlowFiles
internal import FlowLanguage
internal import FlowWire

/// The names that a client may read, for its trials of pipelines.
struct VisibleNames: NameSpace {
  private let engine: Engine
  private let gate: Gate

  init(_ engine: Engine, _ gate: Gate) {
    self.engine = engine
    self.gate = gate
  }

  var limits: NameLimits { engine.registry.limits }

  var names: [String] { engine.registry.sources.filter { content(of: $0) != nil } }

  /// The definition of `name`, without a subject's initial value.
  func content(of name: String) -> Definition.Content? {
    guard gate.reads(name), gate.seesInside(name), let content = engine.registry[name]?.content
    else { return nil }
    guard case .subject(var settings) = content else { return content }
    if case .current = settings.kind, !engine.configuration.webShowsValues {
      settings.kind = .current(Array("null".utf8))
    }
    return .subject(settings)
  }

  func count(of kind: String) -> Int { engine.registry.count(of: kind) }

  func targets(ofRunsReading subject: String) -> [String] {
    engine.registry.targets(ofRunsReading: subject).filter(gate.reads)
  }
}
