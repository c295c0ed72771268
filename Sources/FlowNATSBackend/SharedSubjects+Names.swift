internal import FlowLanguage
internal import FlowNATS
internal import FlowServer
internal import FlowSubjects
internal import FlowWire

/// Names in NATS that could not be defined here.
struct UndefinableNames {
  var names: Set<String> = []
  var isRetrying = false
}

// Defining here what is defined in NATS.
extension SharedSubjects {
  /// Handles a definition or deletion of `name` in NATS.
  func heard(_ name: String, _ entry: SharedNames.Entry) {
    undefinable.names.remove(name)
    subjects[name]?.heard(entry)
    run(name)?.heard(entry)
    if entry.line != nil, subjects[name] == nil, run(name) == nil { make(name, entry) }
  }

  private func run(_ name: String) -> SharedRun? { engine.run(name)?.shared }

  private func make(_ name: String, _ entry: SharedNames.Entry) {
    guard let line = entry.line else { return }
    do throws(DefinitionError) {
      try engine.define(name, line, at: entry.sequence, in: self)
      undefinable.names.remove(name)
    } catch {
      if undefinable.names.insert(name).inserted {
        engine.log(
          .warning,
          "refused",
          "\(name) of NATS is not to be had: \(error.message)",
          [.text("name", name)]
        )
      }
    }
  }

  func delete(_ name: String, _ done: @escaping (DefinitionError?) -> Void) {
    guard let entry = definitions[name] else { return done(nil) }
    let end = { [self] (isDone: Bool) in done(isDone ? nil : unanswered(name)) }
    let deleteName = { [definitions] in
      definitions.delete(name, at: entry.sequence, matching: { _ in true }, end)
    }
    guard case .subject? = (try? TaggedCommand(entry.line ?? ""))?.command else {
      let text = RunEntry(text: entry.line ?? "")
      let consumers = SharedRun.consumers(of: name, text.was ?? entry.sequence)
      for subject in all { subject.deleteConsumers(like: consumers) }
      return deleteName()
    }
    link.request(names.delete(name)) { reply in
      let error = JetStreamError(reply)
      if error == nil || error?.number == .streamNotFound { deleteName() } else { end(false) }
    }
  }

  /// Retries definitions in the next turn: what they lacked may exist now.
  func makeWhatIsUnmade() {
    guard !undefinable.names.isEmpty, !undefinable.isRetrying else { return }
    undefinable.isRetrying = true
    engine.nextTurn { [weak self] in
      guard let self else { return }
      undefinable.isRetrying = false
      for name in undefinable.names { if let entry = definitions[name] { make(name, entry) } }
    }
  }

  /// Defines `name` as NATS has it, because this server no longer uses it otherwise.
  func nameIsFree(_ name: String) {
    guard let entry = definitions[name] else { return }
    heard(name, entry)
  }

  /// Fails runs that use a deleted subject, on any server.
  func subjectIsDeleted(_ name: String) {
    for run in runs
    where run.standing.outputs.contains(name) || run.standing.pipeline.subjects.contains(name) {
      run.shared?.subjectIsDeleted(name)
    }
  }

  /// Writes names to NATS that its stream lacks.
  func namesAreRead() {
    for shared in all where definitions[shared.name] == nil { shared.claimAgain() }
    for run in runs where definitions[run.name] == nil { run.shared?.claimAgain() }
    whenNamesAreKnown.answer(())
  }

  /// Calls `done` when the names in NATS are known, or the link is lost.
  func whenNamesAreKnown(_ done: @escaping () -> Void) {
    if definitions.isRead { done() } else { whenNamesAreKnown.add { _ in done() } }
  }

  /// Returns the error for an unknown name while NATS may still know it.
  func mayBeKnown(_ name: String) -> DefinitionError? {
    guard !definitions.isRead else { return nil }
    let text = "\(silence); it may know \"\(name)\", this server alone does not"
    return DefinitionError(.away, text)
  }

  var silence: String { "NATS has not answered" + (reason.map { ": \($0)" } ?? "") }

  /// Handles the names stream's creation or refusal; a lasting refusal is reported.
  func namesAreMade(_ error: JetStreamError?) {
    let event: ServerEvent?
    if let text = error.flatMap(complaint(about:)) {
      event = health.isUnusable(text, now)
    } else if error == nil {
      event = health.isUsable(now)
    } else {
      return
    }
    if let event { engine.notify(event) }
  }

  private func complaint(about error: JetStreamError) -> String? {
    guard error.isWithoutJetStream else {
      guard error.code > 0, error.number != .notAvailable else { return nil }
      return "NATS refuses the stream of names: \(error)"
    }
    guard let domain = engine.configuration.nats.domain else {
      // NATS may have just started.
      if link.info?.hasJetStream == true { return nil }
      return
        "this NATS has no JetStream; start nats-server with -js, or, if it is a leaf node, write"
        + " set nats-domain with the JetStream domain of its cluster"
    }
    return "NATS has no JetStream domain \(domain), which set nats-domain names"
  }

  /// Handles the loss of the names stream.
  func namesAreLost() {
    for shared in all { shared.claimAgain() }
    for run in runs { run.shared?.claimAgain() }
  }
}
