internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

// SUBJECT, PIPELINE, RUN and DELETE.
extension Client {
  func define(_ name: String, _ settings: SubjectSettings) throws(DefinitionError) {
    let isNew = try engine.define(name, settings)
    let answer = Answer.subject(name: name, settings)
    guard settings.nats != nil, let shared = engine.shared?[name] else {
      return self.answer(answer)
    }
    let held = hold(orSay: shared.away("made"))
    let undo = { [engine] in
      guard isNew, engine.shared?[name] === shared else { return }
      engine.registry.remove(name)?.end()
      engine.shared?.nameIsFree(name)
    }
    shared.whenOpen { [weak self] error in
      if error != nil { undo() }
      self?.answer(held, error, answer)
    }
    limit(held, undo)
  }

  func define(_ name: String, _ expression: Expression) throws(DefinitionError) {
    let pipeline = try engine.define(name, expression, for: session.access)
    let stages = gate.folded(pipeline.stages, of: pipeline.mentions, isOwn: true)
    answer(.pipeline(name: name, stages: stages.count))
  }

  func run(
    _ name: String,
    _ expression: Expression,
    restart: Int64?,
    failed: String?
  ) throws(DefinitionError) {
    let run = try engine.define(
      run: name,
      expression,
      restart: restart,
      failed: failed,
      for: session.access
    )
    if let known = engine.registry.run(name), let shared = known.shared {
      return define(known, shared, isNew: run != nil)
    }
    answer(.plain(.run, name))
    run?.start()
  }

  /// Answers when all servers know of a run.
  private func define(_ run: Run, _ shared: SharedRun, isNew: Bool) {
    let answer = Answer.plain(.run, "\(run.name) resume=\(shared.resume.rawValue)")
    guard isNew else { return self.answer(answer) }
    let held = hold(orSay: shared.away)
    let undo = { [engine] in
      guard engine.registry.run(run.name) === run else { return }
      engine.releaseLater(run)
      engine.registry.remove(run.name)?.end()
      engine.shared?.nameIsFree(run.name)
    }
    shared.whenOpen { [weak self] error in
      if error != nil { undo() }
      self?.answer(held, error, answer)
    }
    limit(held, to: SharedRun.patience, undo)
    run.start()
  }

  func delete(_ name: String) throws(DefinitionError) {
    if let shared = engine.shared?[name] { return delete(shared) }
    if let run = engine.registry.run(name), let shared = run.shared {
      return delete(run, shared)
    }
    if engine.registry[name] == nil, let shared = engine.shared,
      let entry = shared.definitions[name], entry.line != nil
    {
      return delete(name, entry, of: shared)
    }
    guard let entry = engine.registry.remove(name) else { throw unknownName(name) }
    answer(.plain(.delete, name))
    engine.notify(.deleted(kind: entry.kind, name: name))
    entry.end()
    engine.shared?.nameIsFree(name)
  }

  /// Deletes a subject that lives in NATS, there first.
  private func delete(_ shared: SharedSubject) {
    let held = hold(orSay: shared.away("deleted"))
    wait(for: held)
    shared.delete { [weak self] error in
      self?.answer(held, error, .plain(.delete, shared.name))
      if error == nil { shared.isDeleted() }
    }
    limit(held)
  }

  /// Deletes what NATS has of a name that cannot be what it says here.
  private func delete(_ name: String, _ entry: SharedNames.Entry, of shared: SharedSubjects) {
    let text = "NATS has not answered; \(name) may or may not have been deleted"
    let away = DefinitionError(.away, text)
    let held = hold(orSay: away)
    wait(for: held)
    shared.delete(name, entry) { [weak self] isDone in
      self?.answer(held, isDone ? nil : away, .plain(.delete, name))
    }
    limit(held)
  }

  /// Deletes a run of which several servers know.
  private func delete(_ run: Run, _ shared: SharedRun) {
    let held = hold(orSay: shared.away)
    wait(for: held)
    shared.delete { [weak self] error in
      self?.answer(held, error, .plain(.delete, run.name))
      if error == nil { run.isDeletedElsewhere() }
    }
    limit(held)
  }

  func unknownName(_ name: String) -> DefinitionError {
    engine.unknownName(name, for: session.access)
  }
}
