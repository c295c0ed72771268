internal import FlowCore
public import FlowLanguage

/// What the rows of a test are about.
public struct MarbleScene {
  /// A subject as a server would have it.
  public struct Subject {
    /// What it keeps for later subscribers.
    public enum Keeping {
      case nothing
      /// The newest value, at first this one.
      case current([UInt8])
      /// So many of the newest.
      case last(Int)
    }

    let name: String
    let keeping: Keeping
    let isLossless: Bool

    /// Makes a subject; a lossless one lets values wait for the slowest subscriber.
    public init(name: String, keeping: Keeping, isLossless: Bool) {
      self.name = name
      self.keeping = keeping
      self.isLossless = isLossless
    }
  }

  public var subjects: [Subject] = []
  /// Pipelines compiled for this scene alone: a `share` is one for all subscribers of a scene.
  public var pipelines: [(name: String, pipeline: Pipeline)] = []
  public var runs: [(name: String, standing: RunDefinition)] = []
  /// How many publishers one `flatMap` may hold at a time.
  public var innerPublisherLimit = 10_000

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
