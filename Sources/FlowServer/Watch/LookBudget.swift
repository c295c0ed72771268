internal import FlowLanguage

/// How many of those that run a pipeline are looked at one by one: of very many not all, since to look
/// at a stage takes time for everybody.
struct LookBudget {
  /// How many stages run.
  private var stages = 0
  /// Of how many pipelines.
  private var pipelines = 0

  /// What there is for all these.
  init(_ streams: [ObjectIdentifier: [ClientSubscription]]) {
    for running in streams.values {
      pipelines += 1
      stages += running.count * (running.first?.running?.pipeline.stages.count ?? 0)
    }
  }

  /// How many runs of a pipeline are looked at; where very many stages run, each pipeline has its share.
  func mostRuns(of pipeline: Pipeline) -> Int {
    guard stages > Watch.manyStages else { return .max }
    return Self.mostRuns(of: pipeline, 2 * Watch.manyStages / max(pipelines, 1))
  }

  /// How many are looked at closely.
  static func mostRuns(of pipeline: Pipeline, _ stages: Int = .max) -> Int {
    max(1, min(mostRuns, min(stages, mostStages) / max(pipeline.stages.count, 1)))
  }

  private static let mostRuns = 64
  private static let mostStages = 4096
}
