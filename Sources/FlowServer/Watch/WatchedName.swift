internal import FlowLanguage

/// What a watch has found about a pipeline or a run, over all that run it by its name.
final class WatchedName {
  typealias Running = (stream: String, counters: StageCounters)

  let name: String
  let pipeline: Pipeline
  /// The counters of all runs.
  private(set) var counters: [StageCounters] = []
  /// The sampled runs; not all, if there are very many.
  private(set) var runs: [WatchedRun] = []
  /// Streams that somebody has chosen, and until when they are sampled.
  private var chosen: [String: Int64] = [:]
  /// The samples of runs that have ended.
  private var ended: Sightings
  private var past = RecentReadings<[StageFigures]>()
  /// Made once a second, so that people can read the sentence.
  private(set) var verdict: Verdict
  /// The rates of each stage over all runs, as of the verdict; nil if unknown.
  private(set) var rates: [StageRates]?
  private(set) var lasting = LastingVerdict()

  /// How many runs are sampled, beside chosen ones.
  private static let mostRuns = 64

  init(_ name: String, _ pipeline: Pipeline) {
    self.name = name
    self.pipeline = pipeline
    ended = Sightings(of: pipeline)
    verdict = .asleep(name, stages: pipeline.stages.count)
  }

  var sightings: Sightings { runs.reduce(ended) { $0 + $1.sightings } }

  /// The run of a stream, sampled until `time`.
  func choose(_ stream: String, _ counters: StageCounters, until time: Int64) -> WatchedRun {
    chosen[stream] = time
    if let run = runs.first(where: { $0.stream == stream }) { return run }
    let run = WatchedRun(stream: stream, pipeline: pipeline, counters: counters)
    runs.insert(run, at: 0)
    return run
  }

  /// Keeps the present counters.
  func keep(at now: Int64) {
    for run in runs { run.keep(at: now) }
    // Without runs there are no rates.
    if counters.isEmpty { past = RecentReadings() }
    past.keep(figures, at: now)
  }

  /// The present rates of each stage over all runs; nil if unknown.
  var recentRates: [StageRates]? { past.rates }

  func judge(_ verdict: Verdict, _ rates: [StageRates]?, at now: Int64) {
    self.verdict = verdict
    self.rates = rates
    lasting.record(verdict, at: now)
  }

  /// The figures of each stage, over all runs.
  var figures: [StageFigures] { pipeline.figures(of: counters) }

  /// Updates the runs; samples the first of `all`, and chosen ones.
  func follow(_ all: [Running], now: Int64) {
    chosen = chosen.filter { now < $0.value }
    counters = all.map(\.counters)
    let others = all.dropFirst(Self.mostRuns).filter { chosen[$0.stream] != nil }
    var known = Dictionary(uniqueKeysWithValues: runs.map { ($0.counters.id, $0) })
    runs = (all.prefix(Self.mostRuns) + others).map { stream, counters in
      known.removeValue(forKey: counters.id)
        ?? WatchedRun(stream: stream, pipeline: pipeline, counters: counters)
    }
    ended = known.values.reduce(ended) { $0 + $1.sightings }
  }
}
