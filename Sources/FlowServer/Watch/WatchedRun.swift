internal import FlowLanguage

/// What a watch has found about one run: a client's stream, or a standing run.
final class WatchedRun {
  /// `CLIENT.ID`; empty for a standing run.
  let stream: String
  let pipeline: Pipeline
  let counters: StageCounters
  private(set) var sightings: Sightings
  private var followed = FollowedValues()
  private var flows = RecentReadings<[StageFigures]>()
  /// How often each stage was found in each state.
  private var looks = RecentReadings<[[Int]]>()
  private var looked: Int64?

  /// Longer pauses count as a second, because the process may have been stopped.
  private static let longestPause: Int64 = 1_000_000_000

  init(stream: String, pipeline: Pipeline, counters: StageCounters) {
    self.stream = stream
    self.pipeline = pipeline
    self.counters = counters
    sightings = Sightings(of: pipeline)
  }

  func look(at time: Int64) {
    let passed = min(time - (looked ?? time), Self.longestPause)
    looked = time
    pipeline.look(at: counters) { sightings.stages[$0].add($1, for: passed) }
    followed.moveOn(pipeline, in: counters, at: time, &sightings)
  }

  /// Follows a value that has come in the turn from `start` to `end`, if it is due.
  func turnEnds(from start: Int64, to end: Int64) {
    followed.turnEnds(pipeline, in: counters, from: start, to: end, &sightings)
  }

  func forgetCount() { followed.forgetCount() }

  var figures: [StageFigures] {
    pipeline.stages.indices.map { pipeline.figures(at: $0, in: counters) }
  }

  /// Keeps the present counters.
  func keep(at time: Int64) {
    flows.keep(figures, at: time)
    looks.keep(sightings.stages.map(\.time), at: time)
  }

  /// The rates of its stages; nil if it was not watched long enough.
  var rates: [StageRates]? { flows.rates }

  /// The recent behaviour of its stages; nil if unknown.
  func recent(_ services: (String) -> RecentService) -> [RecentStage]? {
    guard let rates, let (before, after, _) = looks.ends else { return nil }
    let figures = figures
    return pipeline.stages.enumerated().map { place, description in
      let looks = zip(after[place], before[place]).map { Double($0 - $1) }
      let sum = max(1, looks.reduce(0, +))
      var stage = RecentStage(what: description.what)
      stage.time = looks.map { $0 / sum }
      stage.rates = rates[place]
      if stage.rates.failed > 0 { stage.reason = pipeline.leftOut.reason(of: description) }
      stage.isTimer = description.isTimer
      stage.held = figures[place].held
      stage.publishers = figures[place].publishers
      stage.limit = description.publishersAtOnce
      stage.services = description.services.map(services)
      return stage
    }
  }
}
