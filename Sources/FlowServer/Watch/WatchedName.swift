internal import FlowLanguage

/// What a watch has seen of a pipeline or a standing run, over all that run it by its name.
final class WatchedName {
  let name: String
  let pipeline: Pipeline
  private(set) var runs: [WatchedRun] = []
  /// What was seen of runs that have ended.
  private var ended: [StageTally]
  private var endedTimes = DeliveryTimes()
  private var endedStageTimes: [DeliveryTimes]
  /// Made anew once a second: a sentence that changes more often cannot be read.
  var verdict: Verdict

  init(_ name: String, _ pipeline: Pipeline) {
    self.name = name
    self.pipeline = pipeline
    ended = Array(repeating: StageTally(), count: pipeline.stages.count)
    endedStageTimes = Array(repeating: DeliveryTimes(), count: pipeline.stages.count)
    verdict = .asleep(name, stages: pipeline.stages.count)
  }

  /// How its stages were found, of all runs.
  var tallies: [StageTally] {
    runs.reduce(ended) { sum, run in zip(sum, run.tallies).map(+) }
  }

  /// How long values took that were followed, of all runs.
  var times: DeliveryTimes { runs.reduce(endedTimes) { $0 + $1.times } }

  /// How long they were in each stage.
  var stageTimes: [DeliveryTimes] {
    runs.reduce(endedStageTimes) { sum, run in zip(sum, run.stageTimes).map(+) }
  }

  /// The run that serves `stream`, if one does.
  func run(of stream: String) -> WatchedRun? { runs.first { $0.stream == stream } }

  /// Takes what runs now, by the counters of each.
  func follow(_ now: [(stream: String, counters: StageCounters)]) {
    var known = Dictionary(uniqueKeysWithValues: runs.map { ($0.counters.id, $0) })
    runs = now.map { stream, counters in
      known.removeValue(forKey: counters.id)
        ?? WatchedRun(stream: stream, pipeline: pipeline, counters: counters)
    }
    for run in known.values {
      ended = zip(ended, run.tallies).map(+)
      endedTimes = endedTimes + run.times
      endedStageTimes = zip(endedStageTimes, run.stageTimes).map(+)
    }
  }
}
