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
  private var ended: [StageTally]
  private var endedTimes = DeliveryTimes()
  private var endedStageTimes: [DeliveryTimes]
  private var past = RecentReadings<[StageFlow]>()
  /// Made anew once a second: a sentence that changes more often cannot be read.
  private(set) var verdict: Verdict
  /// The rates of each stage, of all its streams and runs together, as of the verdict; nil if not known yet.
  private(set) var rates: [StageRates]?
  private(set) var lasting = LastingVerdict()

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

  /// Looks at the run of a stream for some time, of which somebody asks.
  func choose(_ stream: String, _ counters: StageCounters, until time: Int64) -> WatchedRun {
    chosen[stream] = time
    if let run = run(of: stream) { return run }
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
  func recentRates() -> [StageRates]? {
    past.ends.map { ends in
      zip(ends.old, ends.new).map { StageRates(from: $0, to: $1, in: ends.nanoseconds) }
    }
  }

  /// Takes a new verdict, and the rates that it was made with.
  func judge(_ verdict: Verdict, _ rates: [StageRates]?, at now: Int64) {
    self.verdict = verdict
    self.rates = rates
    lasting.record(verdict, at: now)
  }

  /// The figures of each stage, of all that run it; of very many from up to a second ago.
  func figures(at now: Int64) -> [StageFigures] {
    let isMuch = counters.count * pipeline.stages.count > Watch.manyStages
    if let sums, now - sums.time < (isMuch ? WatchClock.second : 1) { return sums.figures }
    let figures = pipeline.figures(of: counters)
    sums = (now, figures)
    return figures
  }

  /// Takes the streams that run it now, and looks at so many: those that somebody has asked for, and
  /// those that hold values up for longest.
  func follow(_ streams: [ClientSubscription], atMost most: Int, now: Int64) {
    chosen = chosen.filter { now < $0.value }
    // Looked up once for each, since it takes figures.
    let sorted = streams.map { (stalled: $0.stalled ?? -1, stream: $0) }
      .sorted { $0.stalled > $1.stalled }
      .map(\.stream)
    var looked = Array(sorted.prefix(most))
    if !chosen.isEmpty {
      let asked = sorted.filter { chosen[$0.place] != nil }
      looked = asked + looked.filter { chosen[$0.place] == nil }
    }
    follow(
      streams.compactMap { $0.running?.counters },
      looked: looked.compactMap { stream in stream.running.map { (stream.place, $0.counters) } }
    )
  }

  /// Takes what runs now, and what of it is looked at.
  func follow(
    _ all: [StageCounters],
    looked: [(stream: String, counters: StageCounters)]
  ) {
    counters = all
    sums = nil
    var known = Dictionary(uniqueKeysWithValues: runs.map { ($0.counters.id, $0) })
    runs = looked.map { stream, counters in
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
