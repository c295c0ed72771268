internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

// TAP watches a subject, all subscriptions to a named pipeline, or a run, without affecting them.

extension Engine {
  /// Returns the tap of `name` or of one of its stages, for a client that may read `name`.
  func tap(_ name: String, stage: Int?, for access: Access) throws(DefinitionError) -> Tap {
    switch registry[name] {
    case nil: throw unknownName(name, for: access)
    case .subject(let subject):
      try checkUse(of: name)
      guard stage ?? 0 == 0 else {
        throw DefinitionError(.usage, "\(name) is a subject and has no stages; use TAP \(name)")
      }
      return subject.tapped()
    case .pipeline(let pipeline):
      try checkUse(of: pipeline, for: access)
      if stage != nil { try checkInside(of: name, for: access) }
      let last = pipeline.stages.count - 1
      guard let stage, stage != last else { return try tap(pipeline, named: name, for: access) }
      return try tap(stage, of: pipeline, named: name, end: last)
    case .run(let run):
      let pipeline = run.standing.pipeline
      if stage != nil { try checkInside(of: name, for: access) }
      let last = pipeline.stages.count
      guard let stage, stage < last - 1 || stage > last else {
        // A client may read the run's target without seeing everything that the run reads.
        guard gate(for: access).reads(run.standing.target) else {
          let text = "this token may not read the subject that \(name) sends to"
          throw DefinitionError(.denied, text)
        }
        return run.tapped()
      }
      let tap = try tap(stage, of: pipeline, named: name, end: last)
      run.endTap()
      return tap
    }
  }

  /// Throws unless `access` may see the inside of `name`; the number of stages stays hidden, too.
  private func checkInside(of name: String, for access: Access) throws(DefinitionError) {
    guard gate(for: access).seesInside(name) else {
      throw DefinitionError(.denied, "this token may not read all that \(name) reads")
    }
  }

  private func tap(
    _ pipeline: Pipeline,
    named name: String,
    for access: Access
  ) throws(DefinitionError) -> Tap {
    guard let plain = pipeline.isPlainSubject else { return tapped(pipeline, named: name) }
    // Its subscribers read the subject itself.
    guard let subject = registry.subject(plain) else {
      let shown = gate(for: access).knows(plain) ? plain : Gate.hidden
      throw DefinitionError(.deleted, "subject \(shown) was deleted")
    }
    return subject.tapped()
  }

  /// Returns the tap of a stage in all runs of a pipeline.
  private func tap(
    _ stage: Int,
    of pipeline: Pipeline,
    named name: String,
    end: Int
  ) throws(DefinitionError) -> Tap {
    guard stage < end else {
      throw DefinitionError(.usage, "\(name) has no stage \(stage); its stages are 0 to \(end)")
    }
    let first = pipeline.stages[0]
    if stage == 0, first.name == nil, first.branches.isEmpty,
      let subject = registry.subject(first.text)
    {
      return subject.tapped()
    }
    if let look = pipeline.viewers[stage] as? StageTap { return look.tap }
    return StageTap(name, stage, of: pipeline, in: self).tap
  }

  /// Returns the tap of all subscriptions to `pipeline` by its name.
  private func tapped(_ pipeline: Pipeline, named name: String) -> Tap {
    if let tap = pipeline.companion as? Tap { return tap }
    let new = Tap(name, in: self) { [self] tap in
      guard pipeline.companion === tap else { return }
      pipeline.companion = nil
      for stream in streams(of: pipeline) { stream.source.subscriber?.isTapped(false) }
    }
    pipeline.companion = new
    for stream in streams(of: pipeline) { stream.source.subscriber?.isTapped(true) }
    return new
  }
}

extension Pipeline {
  /// Ends the tap, because the name no longer stands for this pipeline; subscriptions go on.
  func endTap() {
    let tap = companion as? Tap
    let looks = viewers.values.compactMap { $0 as? StageTap }
    guard let name = (tap ?? looks.first?.tap)?.subject.name else { return }
    let deleted = PipelineFailure(.deleted, "pipeline \(name) was deleted")
    tap?.end(.failure(deleted), [])
    for look in looks { look.tap.end(.failure(deleted), []) }
  }
}

extension Run {
  func tapped() -> Tap {
    if let tap { return tap }
    let new = Tap(name, in: engine) { [self] in
      guard tap === $0 else { return }
      tap = nil
      subscriber?.tap(nil)
    }
    tap = new
    subscriber?.tap(new)
    endTap()
    return new
  }

  /// Ends the tap, if the run has ended.
  func endTap() {
    let completion: ServerSubject.Completion
    switch state {
    case .running, .waiting: return
    case .finished: completion = .finished
    case .failed(let failure): completion = .failure(failure)
    }
    let pipeline = standing.pipeline
    if tap == nil, pipeline.viewers.isEmpty { return }
    let origins = completion == .finished ? [] : engine.registry.origins(of: pipeline.mentions)
    tap?.end(completion, origins)
    pipeline.endStageTaps(completion, origins)
  }
}
