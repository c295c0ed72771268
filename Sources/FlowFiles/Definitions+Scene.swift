internal import FlowLanguage
internal import FlowWire

extension Definitions {
  /// The names as a test has them; of fresh definitions for each test, since a `share` remembers.
  public var scene: MarbleScene {
    var scene = MarbleScene()
    if let limit = settings.first(where: { $0.key == .innerPublisherLimit }) {
      scene.innerPublisherLimit = Int(limit.value)
    }
    for name in Self.ownSubjects {
      scene.subjects.append(.init(name: name, keeping: .nothing, isLossless: false))
    }
    for definition in all {
      let name = definition.name
      switch definition.content {
      case .subject(let settings):
        let keeping: MarbleScene.Subject.Keeping =
          switch settings.kind {
          case .passthrough: .nothing
          case .current(let bytes): .current(bytes)
          case .replay(let count): .last(count)
          }
        let isLossless = settings.flow == .slowest
        scene.subjects.append(.init(name: name, keeping: keeping, isLossless: isLossless))
      case .pipeline(let pipeline): scene.pipelines.append((name, pipeline))
      case .run(let standing): scene.runs.append((name, standing))
      case .broken: break
      }
    }
    return scene
  }
}
