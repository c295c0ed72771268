internal import FlowLanguage
internal import FlowWire

extension Definitions {
  /// The names as a test has them; of fresh definitions for each test, since a `share` remembers.
  public var scene: MarbleScene {
    var scene = MarbleScene()
    for setting in settings {
      switch setting.key {
      case .innerPublisherLimit: scene.innerPublisherLimit = Int(setting.value)
      case .stall: scene.stall = setting.value
      case .grant: scene.grant = Int(setting.value)
      default: break
      }
    }
    for name in Self.ownSubjects { scene.subjects.append((name, SubjectSettings())) }
    for definition in all {
      let name = definition.name
      switch definition.content {
      case .subject(let settings): scene.subjects.append((name, settings))
      case .pipeline(let pipeline): scene.pipelines.append((name, pipeline))
      case .run(let standing): scene.runs.append((name, standing))
      case .broken: break
      }
    }
    return scene
  }
}
