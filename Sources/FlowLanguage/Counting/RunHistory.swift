/// What is left of the runs of a pipeline that have ended.
public struct RunHistory: Sendable {
  /// The figures of each stage, added up.
  public private(set) var figures: [StageFigures]
  /// The failure that a run ended with last, and when that was.
  public private(set) var lastFailure: (failure: PipelineFailure, time: Int64)?

  init(stages: Int) {
    figures = Array(repeating: StageFigures(), count: stages)
  }

  mutating func add(_ run: [StageFigures], _ failure: PipelineFailure?, at time: Int64) {
    for (index, last) in run.enumerated() {
      var last = last
      last.left += last.held
      last.held = 0
      last.demand = 0
      last.publishers = last.publishers.map { _ in 0 }
      figures[index] = figures[index] + last
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
