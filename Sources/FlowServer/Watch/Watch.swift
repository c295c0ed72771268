internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport

/// Samples what runs, while somebody watches, at no cost for the values.
///
/// Nothing changes between turns, so the counters can simply be read.
final class Watch {
  @safe unowned(unsafe) let engine: Engine  // memory 3
  private(set) var names: [String: WatchedName] = [:]
  private(set) var subjects: [String: WatchedSubject] = [:]
  /// Values of the watched names, if values may be shown.
  private(set) var shown: [String: ShownValues] = [:]
  private var viewers: [ObjectIdentifier: PageViewer] = [:]
  /// Until when a client that polls counts as interested in everything, and in single names.
  private var wantedUntil: Int64 = 0
  private var closelyUntil: [String: Int64] = [:]
  /// The number of the last sample since it began; nil while nobody wants to know.
  private var lastSample: Int?
  private var nextSample: Int64 = 0
  /// The number of `changes` at the last search for runs.
  private var known = 0
  private(set) var load = LoopLoad()
  /// Whose values are followed at present: the chosen names, and some of the others in turns.
  private var followed = FollowedNames()

  init(engine: Engine) { self.engine = engine }

  /// How long a scrape of metrics counts as interest, in nanoseconds; some are rare.
  static let scrape: Int64 = 300_000_000_000
  /// The same for a request of samples.
  static let poll: Int64 = 5_000_000_000
  /// The interval of samples.
  private static let interval: Int64 = 250_000_000
  /// The average time between two looks at names that somebody watches closely.
  private static let close: Int64 = 20_000_000
  /// The time over which rates and shares are averaged.
  static let span: Int64 = 4_000_000_000
  /// How many names polling clients may watch closely.
  static let mostPolled = 16

  // MARK: Viewers

  /// Sends samples to `viewer` until it leaves.
  func add(_ viewer: PageViewer) {
    viewers[ObjectIdentifier(viewer)] = viewer
    begin()
  }

  /// Keeps sampling for a while, because a page leaves and comes back when it shows another name.
  func remove(_ viewer: PageViewer) {
    viewers[ObjectIdentifier(viewer)] = nil
    want(for: Self.poll)
  }

  /// Records interest in everything, and perhaps closely in one name, for `nanoseconds`.
  func want(for nanoseconds: Int64, _ name: String? = nil) {
    wantedUntil = max(wantedUntil, engine.now + nanoseconds)
    if let name, !name.isEmpty, engine.registry[name] != nil,
      closelyUntil[name] != nil || closelyUntil.count < Self.mostPolled
    {
      closelyUntil[name] = engine.now + nanoseconds
    }
    begin()
  }

  /// Whether it has sampled for a second, which is long enough for verdicts.
  var isJudged: Bool { (lastSample ?? 0) >= 4 }

  /// The names that somebody watches closely.
  private var chosen: Set<String> {
    Set(viewers.values.lazy.map(\.watched).filter { !$0.isEmpty } + closelyUntil.keys)
  }

  /// How many names polling clients watch closely.
  var closeCount: Int { closelyUntil.count }

  func worked(_ nanoseconds: Int64) { load.add(nanoseconds) }

  func report(_ query: WatchQuery, for access: Access) -> WatchReport {
    WatchReport(engine: engine, gate: engine.gate(for: access), query: query)
  }

  // MARK: Sampling

  private func begin() {
    guard lastSample == nil else { return }
    nextSample = engine.now
    engine.turn.measuresTime = true
    look()
  }

  private func look() {
    let now = engine.now
    closelyUntil = closelyUntil.filter { now < $0.value }
    guard !viewers.isEmpty || now < wantedUntil else { return end() }
    let chosen = chosen
    let isSample = now >= nextSample
    if isSample {
      nextSample = max(nextSample + Self.interval, now)
      takeSample(chosen)
    } else {
      for name in chosen { look(at: name) }
    }
    followed.choose(chosen, turnsOn: isSample, self)
    // Random, because a pipeline with the same period would always be seen in the same state.
    let average = chosen.isEmpty ? Self.interval : Self.close
    let pause = average / 2 + Int64(engine.loop.platform.random() % UInt64(average))
    engine.clock.schedule(after: engine.clock.now.advanced(by: .nanoseconds(Int(pause)))) {
      [weak self] in self?.look()
    }
  }

  /// Grows when streams are opened and when names change.
  private var changes: Int { engine.counters.streams + engine.registry.changes }

  /// Looks at all names, and makes verdicts with each fourth sample.
  private func takeSample(_ chosen: Set<String>) {
    let number = lastSample.map { $0 + 1 } ?? 0
    let isSecond = number % 4 == 0
    lastSample = number
    if isSecond || known != changes { follow() }
    for name in engine.registry.sources { look(at: name) }
    keep(chosen, all: isSecond)
    show(chosen)
    if isSecond { judge(chosen) }
    for viewer in viewers.values { viewer.sampleIsDue(number) }
  }

  private func look(at name: String) {
    if let subject = engine.registry.subject(name) {
      subjects[name]?.look(at: subject, in: engine.state(of: subject), now: engine.now)
    } else {
      for run in names[name]?.runs ?? [] { run.look(at: engine.now) }
    }
  }

  /// Follows values that came in the turn from `start` to `end`.
  func turnEnds(from start: Int64, to end: Int64) {
    followed.turnEnds(from: start, to: end)
  }

  /// Taps the values of the `chosen` names, if values may be shown.
  private func show(_ chosen: Set<String>) {
    guard engine.configuration.webShowsValues else { return }
    for (name, values) in shown where !chosen.contains(name) || values.isOver {
      shown.removeValue(forKey: name)?.end()
    }
    for name in chosen where shown[name] == nil && engine.registry[name] != nil {
      shown[name] = ShownValues(name, stages: names[name]?.pipeline.stages.count ?? 1, in: engine)
    }
    for values in shown.values { values.refill() }
  }

  private func end() {
    lastSample = nil
    for values in shown.values { values.end() }
    shown.removeAll()
    names.removeAll()
    subjects.removeAll()
    followed = FollowedNames()
    engine.turn.measuresTime = false
  }

  /// Keeps the counters for rates, more often for the `chosen` names.
  private func keep(_ chosen: Set<String>, all: Bool) {
    let now = engine.now
    load.keep(at: now)
    for (name, seen) in names where all || chosen.contains(name) || seen.verdict.code == .asleep {
      seen.keep(at: now)
    }
    guard all else { return }
    for (name, seen) in subjects {
      guard let subject = engine.registry.subject(name) else { continue }
      seen.keep(subject, sent: engine.sent(to: subject), at: now)
    }
  }

  /// Finds out what runs now.
  private func follow() {
    known = changes
    let streams = engine.streamsByPipeline
    var found: (names: [String: WatchedName], subjects: [String: WatchedSubject]) = ([:], [:])
    for name in engine.registry.sources {
      switch engine.registry[name] {
      case .subject: found.subjects[name] = subjects[name] ?? WatchedSubject()
      case .pipeline(let pipeline):
        let runs = streams[ObjectIdentifier(pipeline), default: []].runs
        found.names[name] = seen(name, pipeline, runs)
      case .run(let run):
        let runs: [WatchedName.Running] = run.isAtWork ? [("", run.counters)] : []
        found.names[name] = seen(name, run.standing.pipeline, runs)
      case nil: break
      }
    }
    (names, subjects) = found
  }

  private func seen(
    _ name: String,
    _ pipeline: Pipeline,
    _ runs: [WatchedName.Running]
  ) -> WatchedName {
    let old = names[name].flatMap { $0.pipeline === pipeline ? $0 : nil }
    let seen = old ?? WatchedName(name, pipeline)
    seen.follow(runs, now: engine.now)
    return seen
  }

  // MARK: Verdicts

  private func judge(_ chosen: Set<String>) {
    let slow = SlowReaders(engine)
    for (name, seen) in names {
      let rates = seen.recentRates
      seen.judge(verdict(on: seen, named: name, rates, slow), rates, at: engine.now)
    }
    for name in chosen {
      guard let subject = engine.registry.subject(name) else { continue }
      subjects[name]?.lasting.record(engine.verdict(on: subject, slow), at: engine.now)
    }
  }
}

extension [ClientSubscription] {
  /// What they run, the ones stalled longest first.
  fileprivate var runs: [WatchedName.Running] {
    // Computed once for each, because it reads figures.
    map { (stalled: $0.stalled ?? -1, stream: $0) }.sorted { $0.stalled > $1.stalled }
      .compactMap { _, stream in
        stream.running.map { (stream: stream.place, counters: $0.counters) }
      }
  }
}
