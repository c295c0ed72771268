internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport

/// Looks at what runs, while somebody wants to know; the way of a value is the same either way.
///
/// Between turns nothing changes, so looking needs no help of those that are looked at.
final class Watch {
  @safe private unowned(unsafe) let engine: Engine  // memory 3
  private(set) var names: [String: WatchedName] = [:]
  private var subjects: [String: WatchedSubject] = [:]
  /// What is shown of the names that somebody has chosen, where values may be shown.
  private(set) var shown: [String: ShownValues] = [:]
  private var viewers: [ObjectIdentifier: any WatchViewer] = [:]
  /// Until when somebody who asks now and then is taken to be interested in all, and in a name.
  private var wantedUntil: Int64 = 0
  private var closelyUntil: [String: Int64] = [:]
  private var clock = WatchClock()
  private var isGoing = false
  private var known = 0
  /// The stages of all that was found to run.
  private var stageCount = 0
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
  /// Above so many stages and subjects those that nobody has chosen are looked at less often, and not
  /// all that run.
  static let manyStages = 20_000

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

  private var isWanted: Bool { !viewers.isEmpty || engine.now < wantedUntil }

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
    guard isWanted else { return end() }
    let isSparse = stageCount + subjects.count > Self.manyStages
    let due = clock.due(at: now, isSparse: isSparse)
    let chosen = chosen
    if due.isQuarter, due.isSecond || known != engine.counters.streams { follow() }
    for name in chosen { lookAtSubject(name) }
    for seen in chosen.compactMap({ names[$0] }) {
      for run in seen.runs.prefix(LookBudget.mostRuns(of: seen.pipeline)) { run.look(at: now) }
    }
    if due.isWide {
      for (name, seen) in names where !chosen.contains(name) {
        for run in seen.runs { run.look(at: now) }
      }
      for subject in engine.registry.subjects where !chosen.contains(subject.name) {
        subjects[subject.name]?.look(at: subject, now: now)
      }
    }
    if due.isQuarter {
      keep(chosen, all: due.isSecond)
      show(chosen)
    }
    if due.isSecond {
      followSubjects()
      judge()
      judgements += 1
    }
    if due.isQuarter {
      for viewer in viewers.values { viewer.sampleIsDue(quarters, in: self) }
      quarters += 1
    }
    let pause = WatchClock.pause(isClose: !chosen.isEmpty, engine.loop.platform.random())
    engine.clock.schedule(after: engine.clock.now.advanced(by: .nanoseconds(Int(pause)))) {
      [weak self] in self?.look()
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
    let budget = LookBudget(streams)
    for name in engine.registry.names {
      switch engine.registry[name] {
      case .pipeline(let pipeline):
        let seen = seen(name, pipeline)
        let running = streams[ObjectIdentifier(pipeline)] ?? []
        seen.follow(running, atMost: budget.mostRuns(of: pipeline), now: engine.now)
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
    stageCount = found.values.reduce(0) { $0 + $1.runs.count * $1.pipeline.stages.count }
  }

  /// The run that serves a stream, which is looked at from now on.
  func run(of stream: String, in seen: WatchedName) -> WatchedRun? {
    guard let running = engine.subscription(stream)?.running, running.pipeline === seen.pipeline
    else { return seen.run(of: stream) }
    return seen.choose(stream, running.counters, until: engine.now + Self.poll)
  }

  private func seen(_ name: String, _ pipeline: Pipeline) -> WatchedName {
    if let seen = names[name], seen.pipeline === pipeline { return seen }
    return WatchedName(name, pipeline)
  }

  // MARK: Subjects

  private func lookAtSubject(_ name: String) {
    guard let subject = engine.registry.subject(name) else { return }
    let new = WatchedSubject(sent: engine.sent(to: subject), at: engine.now)
    subjects[name, default: new].look(engine.state(of: subject))
    subjects[name]?.look(at: subject, now: engine.now)
  }

  private func followSubjects() {
    let all = engine.registry.subjects
    if subjects.count > all.count {
      subjects = subjects.filter { engine.registry.subject($0.key) != nil }
    }
    for subject in all {
      let (sent, now) = (engine.sent(to: subject), engine.now)
      subjects[subject.name, default: WatchedSubject(sent: sent, at: now)]
        .follow(subject, sent: sent, at: now)
    }
  }

  /// How often a subject was found starved, working and blocked.
  func time(of subject: ServerSubject) -> [Int] { subjects[subject.name]?.time ?? [0, 0, 0] }

  /// How long values of a subject took that were followed, if any could be.
  func times(of subject: ServerSubject) -> DeliveryTimes? { subjects[subject.name]?.times }

  /// How many values a second came to a subject, and were missed by its subscriptions.
  func rates(of subject: ServerSubject) -> StageRates? { subjects[subject.name]?.rates }

  /// How long the same thing has been wrong with a watched subject, in nanoseconds; nil if nothing is.
  func lasted(_ subject: ServerSubject) -> Int64? {
    subjects[subject.name]?.lasting.lasted(at: engine.now)
  }

  /// Whether values have come to a subject in the last seconds.
  func isMoving(_ subject: ServerSubject) -> Bool {
    subjects[subject.name]?.isMoving(at: engine.now) ?? false
  }

  // MARK: Judging

  private func judge() {
    let slow = SlowReaders(engine)
    for (name, seen) in names {
      let rates = seen.recentRates()
      seen.judge(verdict(on: seen, named: name, rates, slow), rates, at: engine.now)
    }
    for name in chosen {
      guard let subject = engine.registry.subject(name) else { continue }
      let verdict = engine.verdict(on: subject, slow)
      subjects[name]?.lasting.record(verdict, at: engine.now)
    }
  }

  /// The verdict on the run that is worst off.
  private func verdict(
    on seen: WatchedName,
    named name: String,
    _ rates: [StageRates]?,
    _ slow: SlowReaders
  ) -> Verdict {
    let stages = seen.pipeline.stages.count
    if let run = engine.registry.run(name), let failure = run.failure {
      let text = failure.message.isEmpty ? "" : ", \(failure.message)"
      return .failed("\(failure.code)\(text)", stages: stages, again: run.secondsToRestart)
    }
    var worst: Verdict?
    let sources = WatchedSources(of: seen.pipeline, named: name, in: engine, slow)
    for run in seen.runs {
      guard let one = verdict(on: run, of: name, sources, rates) else { continue }
      if worst.map(one.isWorse) ?? true { worst = one }
    }
    return worst ?? (seen.runs.isEmpty ? .asleep(name, stages: stages) : seen.verdict)
  }

  /// The verdict on one run; `nil` if it has not been seen for long enough.
  func verdict(on run: WatchedRun, of name: String, _ slow: SlowReaders) -> Verdict? {
    verdict(on: run, of: name, WatchedSources(of: run.pipeline, named: name, in: engine, slow))
  }

  private func verdict(
    on run: WatchedRun,
    of name: String,
    _ sources: WatchedSources,
    _ rates: [StageRates]? = nil
  ) -> Verdict? {
    guard var recent = run.recent({ engine.service($0) }), let end = end(of: run, name) else {
      return nil
    }
    recent[0].waiting = sources.waiting
    if let rates { for place in recent.indices { recent[place].all = rates[place] } }
    let elsewhere = sources.elsewhere
    let verdict = Verdict(of: name, recent, end: end, elsewhere: elsewhere, busy: load.share)
    guard verdict.code == .quiet else { return verdict }
    guard let sender = sources.failedSender ?? sources.unservedSender else { return verdict }
    let fault = sources.failedSender == nil ? sender.unserved : sender.failed
    return verdict.blaming(sender, "Nothing comes from \(sender.standing.target)", fault)
  }

  private func end(of run: WatchedRun, _ name: String) -> RunEnd? {
    guard let stream = engine.subscription(run.stream) else {
      guard let standing = engine.registry.run(name) else { return nil }
      return RunEnd(label: "the subject \(standing.standing.target)")
    }
    return RunEnd(
      label: stream.person,
      stream: run.stream,
      stalled: stream.stalled.map { Int($0 / 1_000_000) },
      isUnread: stream.isUnread
    )
  }
}

/// Whoever is told samples, as often as he can take one.
protocol WatchViewer: AnyObject {
  /// The name that he has chosen; empty for none.
  var watched: String { get }
  /// A quarter of a second has passed; `number` counts them.
  func sampleIsDue(_ number: Int, in watch: Watch)
}
