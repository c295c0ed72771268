public import FlowLanguage
internal import FlowSubjects
public import FlowWire

/// What the rows of a test are about.
public struct MarbleScene {
  public var subjects: [(name: String, settings: SubjectSettings)] = []
  /// Pipelines compiled for this scene alone: a `share` is one for all subscribers of a scene.
  public var pipelines: [(name: String, pipeline: Pipeline)] = []
  public var runs: [(name: String, standing: RunDefinition)] = []
  /// How many publishers one `flatMap` may hold at a time.
  public var innerPublisherLimit = 10_000
  /// How long a subscriber may hold up the others of a subject that says nothing, in nanoseconds.
  public var stall = SubjectDefaults.stall
  /// How many values a run is granted at a time.
  public var grant = SubjectDefaults.grant

  /// What a name stands for in an expression.
  func source(_ name: String) -> NamedSource? {
    if let pipeline = pipelines.first(where: { $0.name == name })?.pipeline {
      return .pipeline(pipeline)
    }
    if let run = runs.first(where: { $0.name == name }) {
      return .run(target: run.standing.target)
    }
    return subjects.contains { $0.name == name } ? .subject : nil
  }

  /// An empty scene.
  public init() {}
}
