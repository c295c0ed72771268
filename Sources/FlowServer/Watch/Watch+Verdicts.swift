internal import FlowLanguage
internal import FlowSubjects

extension Watch {
  /// The verdict on the worst run.
  func verdict(
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
    let sources = SourceState(of: seen.pipeline, named: name, engine, slow)
    var worst: Verdict?
    for run in seen.runs {
      guard let one = verdict(on: run, of: name, sources, rates) else { continue }
      if worst.map(one.isWorse) ?? true { worst = one }
    }
    return worst ?? (seen.runs.isEmpty ? .asleep(name, stages: stages) : seen.verdict)
  }

  /// The run of a stream, watched from now on, with its verdict.
  ///
  /// Nil if there is none, or it was not watched for long enough.
  func run(
    of stream: String,
    in seen: WatchedName,
    _ slow: SlowReaders
  ) -> (run: WatchedRun, verdict: Verdict?)? {
    guard let running = engine.subscription(stream)?.running, running.pipeline === seen.pipeline
    else { return nil }
    let run = seen.choose(stream, running.counters, until: engine.now + Self.poll)
    let sources = SourceState(of: run.pipeline, named: seen.name, engine, slow)
    return (run, verdict(on: run, of: seen.name, sources, nil))
  }

  private func verdict(
    on run: WatchedRun,
    of name: String,
    _ sources: SourceState,
    _ rates: [StageRates]?
  ) -> Verdict? {
    let isShared = engine.stores.calls != nil
    guard let end = end(of: run, name),
      var recent = run.recent({ RecentService(engine.service($0), isShared: isShared) })
    else { return nil }
    // Nothing waits for a subscription without the right to hold up its subjects.
    recent[0].waiting = engine.subscription(run.stream)?.holds == false ? 0 : sources.waiting
    if let rates { for place in recent.indices { recent[place].all = rates[place] } }
    let verdict = Verdict(recent, end: end, elsewhere: sources.elsewhere, busy: load.share)
    guard verdict.code == .quiet, let fault = sources.fault else { return verdict }
    return verdict.blaming(fault, "Nothing comes from \(fault.run.standing.target)")
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

/// The state of the subjects that all runs of a pipeline read, perhaps thousands.
private struct SourceState {
  let waiting: Int
  /// Who else holds one of them up.
  let elsewhere: SlowReader?
  /// The reason why nothing is sent to one of them.
  let fault: RunFault?

  init(of pipeline: Pipeline, named name: String, _ engine: Engine, _ slow: SlowReaders) {
    let names = pipeline.subjects + engine.registry.subjects(in: pipeline.patterns)
    let subjects = names.compactMap { engine.registry.subject($0) }
    waiting = subjects.reduce(0) { $0 + $1.waitingInAll }
    elsewhere = subjects.lazy.compactMap { slow.reader(of: $0, but: name) }.first
    fault = subjects.lazy.compactMap { slow.fault(sendingTo: $0.name) }.first
  }
}
