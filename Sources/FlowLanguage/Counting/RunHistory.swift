/// What is left of the runs of a pipeline that have ended.
public struct RunHistory: Sendable {
  /// The figures of each stage, added up; none before the first run has ended.
  private var figures: [StageFigures] = []
  /// The failure that a run ended with last, and when that was.
  public private(set) var lastFailure: (failure: PipelineFailure, time: Int64)?

  init() {}

  /// The figures of a stage.
  subscript(stage: Int) -> StageFigures { figures.isEmpty ? StageFigures() : figures[stage] }

  mutating func add(_ run: [StageFigures], _ failure: PipelineFailure?, at time: Int64) {
    if figures.isEmpty { figures = Array(repeating: StageFigures(), count: run.count) }
    for (index, last) in run.enumerated() {
      var last = last
      last.left += last.held
      last.held = 0
      last.demand = 0
      last.publishers = last.publishers.map { _ in 0 }
      figures[index] += last
    }
    if let failure { lastFailure = (failure, time) }
  }
}

extension Pipeline {
  /// Keeps the figures of a run that ends now, and its failure.
  public func runEnds(_ run: StageCounters, _ failure: PipelineFailure?, at time: Int64) {
    history.add(figures(ofRun: run), failure, at: time)
  }
}
