internal import FlowLanguage

/// What a watch has seen of a pipeline or a standing run, over all that run it by its name.
final class WatchedName {
  let name: String
  let pipeline: Pipeline
  /// The counters of all that run it.
  private(set) var counters: [StageCounters] = []
  /// Those of them that are looked at: of very many not all.
  private(set) var runs: [WatchedRun] = []
  /// The streams that somebody has asked for one by one, and until when they are looked at.
  private var chosen: [String: Int64] = [:]
  /// What was added up of all that run it, and when.
  private var sums: (time: Int64, figures: [StageFigures])?
  /// What was seen of runs that have ended.
  private var ended: Sightings
  private var past = RecentReadings<[StageFlow]>()
  /// Made anew once a second: a sentence that changes more often cannot be read.
  private(set) var verdict: Verdict
  /// The rates of each stage, of all its streams and runs together, as of the verdict; nil if not known yet.
  private(set) var rates: [StageRates]?
  private(set) var lasting = LastingVerdict()

  /// How many runs are looked at, and how many stages of them.
  private static let mostRuns = 64
  private static let mostStages = 4096

  init(_ name: String, _ pipeline: Pipeline) {
    self.name = name
    self.pipeline = pipeline
    ended = Sightings(of: pipeline)
    verdict = .asleep(name, stages: pipeline.stages.count)
  }

  /// What was seen of all its runs.
  var sightings: Sightings { runs.reduce(ended) { $0 + $1.sightings } }

  /// The run that serves a stream, which is looked at for some time from now on.
  func choose(_ stream: String, _ counters: StageCounters, until time: Int64) -> WatchedRun {
    chosen[stream] = time
    if let run = runs.first(where: { $0.stream == stream }) { return run }
    let run = WatchedRun(stream: stream, pipeline: pipeline, counters: counters)
    runs.insert(run, at: 0)
    return run
  }

  /// Keeps what its counters are now.
  func keep(at now: Int64) {
    for run in runs { run.keep(at: now) }
    // While nothing runs it there are no rates.
    if counters.isEmpty { past = RecentReadings() }
    past.keep(figures(at: now).map(StageFlow.init), at: now)
  }

  /// The rates of each stage now, of all its streams and runs together; nil if not known yet.
  var recentRates: [StageRates]? { past.rates }

  /// Takes a new verdict, and the rates that it was made with.
  func judge(_ verdict: Verdict, _ rates: [StageRates]?, at now: Int64) {
    self.verdict = verdict
    self.rates = rates
    lasting.record(verdict, at: now)
  }

  /// The figures of each stage, of all that run it.
  func figures(at now: Int64) -> [StageFigures] {
    if let sums, sums.time == now { return sums.figures }
    let figures = pipeline.figures(of: counters)
    sums = (now, figures)
    return figures
  }

  /// Takes the streams that run it now, and looks at those that somebody has asked for, then at those that
  /// hold values up for longest.
  func follow(_ streams: [ClientSubscription], now: Int64) {
    chosen = chosen.filter { now < $0.value }
    // Looked up once for each, since it takes figures.
    let sorted = streams.map { (stalled: $0.stalled ?? -1, stream: $0) }
      .sorted { $0.stalled > $1.stalled }
      .compactMap { _, stream in
        stream.running.map { (stream: stream.place, counters: $0.counters) }
      }
    let most = max(1, min(Self.mostRuns, Self.mostStages / max(pipeline.stages.count, 1)))
    let asked = sorted.filter { chosen[$0.stream] != nil }
    let others = sorted.prefix(most).filter { chosen[$0.stream] == nil }
    follow(sorted.map(\.counters), looked: asked + others)
  }

  /// Takes what runs now, and what of it is looked at.
  func follow(_ all: [StageCounters], looked: [(stream: String, counters: StageCounters)]) {
    counters = all
    sums = nil
    var known = Dictionary(uniqueKeysWithValues: runs.map { ($0.counters.id, $0) })
    runs = looked.map { stream, counters in
      known.removeValue(forKey: counters.id)
        ?? WatchedRun(stream: stream, pipeline: pipeline, counters: counters)
    }
    ended = known.values.reduce(ended) { $0 + $1.sightings }
  }
}
