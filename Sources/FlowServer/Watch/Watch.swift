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
  private var viewers: [ObjectIdentifier: any WatchViewer] = [:]
  /// Until when a client that polls counts as interested in everything, and in single names.
  private var wantedUntil: Int64 = 0
  private var closelyUntil: [String: Int64] = [:]
  private var clock = WatchClock()
  private var isGoing = false
  /// How many streams had been opened at the last search for runs.
  private var known = 0
  private var quarters = 0
  /// How many verdicts were made since it began.
  private var judgements = 0
  private(set) var load = LoopLoad()
  /// Whose values are followed at present: the chosen names, and some of the others in turns.
  private var followed = FollowedNames()

  init(engine: Engine) { self.engine = engine }

  /// How long a scrape of metrics counts as interest, in nanoseconds; some are rare.
  static let scrape: Int64 = 300_000_000_000
  /// The same for a request of samples.
  static let poll: Int64 = 5_000_000_000
  /// How many names polling clients may watch closely.
  static let mostPolled = 16

  // MARK: Viewers

  /// Sends samples to `viewer` until it leaves.
  func add(_ viewer: any WatchViewer) {
    viewers[ObjectIdentifier(viewer)] = viewer
    begin()
  }

  func remove(_ viewer: any WatchViewer) { viewers[ObjectIdentifier(viewer)] = nil }

  var viewerCount: Int { viewers.count }

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

  /// Whether it has sampled long enough for verdicts.
  var isJudged: Bool { judgements > 1 }

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
    guard !isGoing else { return }
    isGoing = true
    judgements = 0
    clock = WatchClock()
    engine.turn.measuresTime = true
    follow()
    look()
  }

  private func look() {
    let now = engine.now
    closelyUntil = closelyUntil.filter { now < $0.value }
    guard !viewers.isEmpty || now < wantedUntil else { return end() }
    let due = clock.due(at: now)
    let chosen = chosen
    if due.isQuarter, due.isSecond || known != engine.counters.streams { follow() }
    for name in chosen {
      if let subject = engine.registry.subject(name) {
        seen(subject).time[engine.state(of: subject).rawValue] += 1
      }
      look(at: name)
    }
    if due.isWide {
      for name in engine.registry.names where !chosen.contains(name) { look(at: name) }
    }
    followed.choose(chosen, turnsOn: due.isWide, self)
    if due.isQuarter {
      keep(chosen, all: due.isSecond)
      show(chosen)
    }
    if due.isSecond {
      followSubjects()
      judge(chosen)
      judgements += 1
    }
    if due.isQuarter {
      for viewer in viewers.values { viewer.sampleIsDue(quarters) }
      quarters += 1
    }
    let pause = WatchClock.pause(isClose: !chosen.isEmpty, engine.loop.platform.random())
    engine.clock.schedule(after: engine.clock.now.advanced(by: .nanoseconds(Int(pause)))) {
      [weak self] in self?.look()
    }
  }

  private func look(at name: String) {
    if let subject = engine.registry.subject(name) {
      subjects[name]?.arrivals.moveOn(subject, at: engine.now)
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
    isGoing = false
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
  }

  /// Finds out what runs now.
  private func follow() {
    known = engine.counters.streams
    let streams = engine.streamsByPipeline
    var found: [String: WatchedName] = [:]
    for name in engine.registry.names {
      switch engine.registry[name] {
      case .pipeline(let pipeline):
        let seen = seen(name, pipeline)
        seen.follow(streams[ObjectIdentifier(pipeline)] ?? [], now: engine.now)
        found[name] = seen
      case .run(let run):
        let seen = seen(name, run.standing.pipeline)
        let counters = run.isAtWork ? [run.counters] : []
        seen.follow(counters, looked: counters.map { ("", $0) })
        found[name] = seen
      case .subject, nil: break
      }
    }
    names = found
  }

  private func seen(_ name: String, _ pipeline: Pipeline) -> WatchedName {
    if let seen = names[name], seen.pipeline === pipeline { return seen }
    return WatchedName(name, pipeline)
  }

  private func followSubjects() {
    let all = engine.registry.subjects
    if subjects.count > all.count {
      subjects = subjects.filter { engine.registry.subject($0.key) != nil }
    }
    for subject in all {
      seen(subject).follow(subject, sent: engine.sent(to: subject), at: engine.now)
    }
  }

  private func seen(_ subject: ServerSubject) -> WatchedSubject {
    if let seen = subjects[subject.name] { return seen }
    let seen = WatchedSubject(sent: engine.sent(to: subject), at: engine.now)
    subjects[subject.name] = seen
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

/// A receiver of samples.
protocol WatchViewer: AnyObject {
  /// The name it watches closely; empty for none.
  var watched: String { get }
  /// Called every quarter of a second with a running number.
  func sampleIsDue(_ number: Int)
}
