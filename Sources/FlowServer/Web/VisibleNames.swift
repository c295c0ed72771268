internal import FlowFiles
internal import FlowLanguage
internal import FlowWire

/// The names of a server that somebody may read, for what he tries.
struct VisibleNames: NameSpace {
  private let engine: Engine
  private let access: Access

  init(_ engine: Engine, access: Access) {
    self.engine = engine
    self.access = access
  }

  var limits: NameLimits { engine.registry.limits }

  /// What `name` stands for; of the value that a subject has at first nothing is told.
  func content(of name: String) -> Definition.Content? {
    guard access.shows(name), let content = engine.registry[name]?.content else { return nil }
    switch content {
    case .subject(var settings):
      if case .current = settings.kind, !engine.configuration.webShowsValues {
        settings.kind = .current(Array("null".utf8))
      }
      return .subject(settings)
    case .pipeline(let pipeline): return engine.reads(pipeline.mentions, access) ? content : nil
    case .run(let run): return engine.reads(run.pipeline.mentions, access) ? content : nil
    case .broken: return nil
    }
  }

  func count(of kind: String) -> Int { engine.registry.count(of: kind) }

  func targets(ofRunsReading subject: String) -> [String] {
    engine.registry.targets(ofRunsReading: subject).filter(access.shows)
  }
}
