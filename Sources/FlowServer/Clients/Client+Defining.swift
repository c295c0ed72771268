internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

extension Client {
  func define(_ name: String, _ settings: SubjectSettings) throws(DefinitionError) {
    let isNew = try engine.define(name, settings)
    let answer = Answer.subject(name: name, settings)
    guard let backend = engine.registry.subject(name)?.backend else {
      return self.answer(answer)
    }
    let held = hold(orSay: backend.unanswered("made", name))
    let undo = { [engine] in
      guard isNew, engine.registry.subject(name)?.backend === backend else { return }
      engine.registry.remove(name)?.end()
      engine.stores.nameIsFree(name)
    }
    backend.whenReady { [weak self] error in
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
    if let known = engine.registry.run(name), let backend = known.backend {
      return define(known, backend, isNew: run != nil)
    }
    answer(.plain(.run, name))
    run?.start()
  }

  /// Answers once all servers know the run.
  private func define(_ run: Run, _ backend: any RunBackend, isNew: Bool) {
    let answer = Answer.plain(.run, "\(run.name) resume=\(backend.resume.rawValue)")
    guard isNew else { return self.answer(answer) }
    let held = hold(orSay: backend.away)
    let undo = { [engine] in
      guard engine.registry.run(run.name) === run else { return }
      engine.releaseLater(run)
      engine.registry.remove(run.name)?.end()
      engine.stores.nameIsFree(run.name)
    }
    backend.whenOpen { [weak self] error in
      if error != nil { undo() }
      self?.answer(held, error, answer)
    }
    limit(held, to: backend.patience, undo)
    run.start()
  }

  func delete(_ name: String) throws(DefinitionError) {
    if let backend = engine.registry.subject(name)?.backend {
      let away = { backend.unanswered("deleted", name) }
      return answer(whenDeleted: name, orSay: away) { backend.delete($0) }
    }
    if let run = engine.registry.run(name), let backend = run.backend {
      return answer(whenDeleted: name, orSay: { backend.away }) { done in
        backend.delete { error in
          done(error)
          if error == nil { run.isDeletedElsewhere() }
        }
      }
    }
    if engine.registry[name] == nil, let store = engine.stores.store(defining: name) {
      let away = { store.unanswered(name) }
      return answer(whenDeleted: name, orSay: away) { store.delete(name, $0) }
    }
    guard engine.registry[name] != nil else { throw unknownName(name) }
    answer(.plain(.delete, name))
    engine.delete(name)
    engine.stores.nameIsFree(name)
  }

  /// Deletes a shared definition, then answers; `away` is the error if that takes too long.
  private func answer(
    whenDeleted name: String,
    orSay away: @escaping () -> DefinitionError,
    _ delete: (@escaping (DefinitionError?) -> Void) -> Void
  ) {
    let held = hold(orSay: away())
    wait(for: held)
    delete { [weak self] error in self?.answer(held, error, .plain(.delete, name)) }
    limit(held)
  }

  func unknownName(_ name: String) -> DefinitionError {
    engine.unknownName(name, for: session.access)
  }
}
