internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport

/// Looks at what runs, while somebody wants to know; the way of a value is the same either way.
///
/// Between turns nothing changes, so looking needs no help of those that are looked at.
final class Watch {
  @safe unowned(unsafe) let engine: Engine  // memory 3
  private(set) var names: [String: WatchedName] = [:]
  private(set) var subjects: [String: WatchedSubject] = [:]
  /// What is shown of the names that somebody has chosen, where values may be shown.
  private(set) var shown: [String: ShownValues] = [:]
  private var viewers: [ObjectIdentifier: any WatchViewer] = [:]
  /// Until when somebody who asks now and then is taken to be interested in all, and in a name.
  private var wantedUntil: Int64 = 0
  private var closelyUntil: [String: Int64] = [:]
  private var clock = WatchClock()
  private var isGoing = false
  /// How many streams had been opened when it last found what runs.
  private var known = 0
  private var quarters = 0
  /// How often it has judged since it began to look.
  private var judgements = 0
  private(set) var load = LoopLoad()

  init(engine: Engine) { self.engine = engine }

  /// How long whoever scrapes metrics is taken to be interested, in nanoseconds: some scrape seldom.
  static let scrape: Int64 = 300_000_000_000
  /// The same of whoever asks for samples, which people look at.
  static let poll: Int64 = 5_000_000_000
  /// How many names those who ask now and then may have looked at closely.
  static let mostPolled = 16

  // MARK: Who wants to know

  /// Somebody who is told samples until he leaves.
  func add(_ viewer: any WatchViewer) {
    viewers[ObjectIdentifier(viewer)] = viewer
    begin()
  }

  func remove(_ viewer: any WatchViewer) { viewers[ObjectIdentifier(viewer)] = nil }

  var viewerCount: Int { viewers.count }

  /// Somebody wants to know for so long how all does, and perhaps one name closely.
  func want(for nanoseconds: Int64, _ name: String? = nil) {
    wantedUntil = max(wantedUntil, engine.now + nanoseconds)
    if let name, !name.isEmpty, engine.registry[name] != nil,
      closelyUntil[name] != nil || closelyUntil.count < Self.mostPolled
    {
      closelyUntil[name] = engine.now + nanoseconds
    }
    begin()
  }

  /// Whether it has looked for long enough to have verdicts.
  var isJudged: Bool { judgements > 1 }

  /// The names that somebody has chosen.
  private var chosen: Set<String> {
    Set(viewers.values.lazy.map(\.watched).filter { !$0.isEmpty } + closelyUntil.keys)
  }

  /// How many names those who ask now and then have looked at closely.
  var closeCount: Int { closelyUntil.count }

  /// The loop has been at work for so many nanoseconds more.
  func worked(_ nanoseconds: Int64) { load.add(nanoseconds) }

  func report(_ query: WatchQuery, for access: Access) -> WatchReport {
    WatchReport(engine: engine, gate: engine.gate(for: access), query: query)
  }

  // MARK: Looking

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
      subjects[name]?.arrivals.look(at: subject, now: engine.now)
    } else {
      for run in names[name]?.runs ?? [] { run.look(at: engine.now) }
    }
  }

  /// Looks on at the values of those that were chosen, if these may be shown.
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
    engine.turn.measuresTime = false
  }

  /// Keeps what the counters are, for rates: of those that were chosen more often.
  private func keep(_ chosen: Set<String>, all: Bool) {
    let now = engine.now
    load.keep(at: now)
    for (name, seen) in names where all || chosen.contains(name) || seen.verdict.code == .asleep {
      seen.keep(at: now)
    }
  }

  /// Finds what runs now.
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

  // MARK: Judging

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

/// Whoever is told samples, as often as he can take one.
protocol WatchViewer: AnyObject {
  /// The name that he has chosen; empty for none.
  var watched: String { get }
  /// A quarter of a second has passed; `number` counts them.
  func sampleIsDue(_ number: Int)
}
