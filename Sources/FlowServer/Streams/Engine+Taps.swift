internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

// What TAP looks at: what a subject publishes, what a pipeline gives to all who subscribe to it by its
// name, and what a run sends. Who looks on changes nothing for anybody else.

extension Engine {
  /// What passes `name`, or its stage of this number, for a client that may read `name`.
  func tap(_ name: String, stage: Int?, for access: Access) throws(DefinitionError) -> Tap {
    switch registry[name] {
    case nil: throw DefinitionError(.unknownName, unknownName(name, for: access))
    case .subject(let subject):
      try checkUse(of: name)
      guard stage ?? 0 == 0 else {
        throw DefinitionError(.usage, "\(name) is a subject and has no stages; use TAP \(name)")
      }
      return subject.tapped()
    case .pipeline(let pipeline):
      try checkUse(of: pipeline)
      let last = pipeline.stages.count - 1
      if stage ?? last == last { return try tap(pipeline, named: name, for: access) }
      return try tap(stage, of: pipeline, named: name, end: last, for: access)
    case .run(let run):
      let last = run.standing.pipeline.stages.count
      if stage ?? last >= last - 1, stage ?? last <= last {
        // Where its values go, somebody may read them who may not read all that it reads.
        try access.check(.subscribe, run.standing.target)
        return run.tapped()
      }
      return try tap(stage, of: run.standing.pipeline, named: name, end: last, for: access)
    }
  }

  private func tap(
    _ pipeline: Pipeline,
    named name: String,
    for access: Access
  ) throws(DefinitionError) -> Tap {
    guard let plain = pipeline.isPlainSubject else { return tapped(pipeline, named: name) }
    // Who subscribes to it reads the subject itself.
    guard let subject = registry.subject(plain) else {
      throw DefinitionError(.deleted, "subject \(access.shows(plain) ? plain : "…") was deleted")
    }
    return subject.tapped()
  }

  /// The subject that the first stage of a pipeline reads.
  private func tap(
    _ stage: Int?,
    of pipeline: Pipeline,
    named name: String,
    end: Int,
    for access: Access
  ) throws(DefinitionError) -> Tap {
    let first = pipeline.stages[0]
    let source = first.name == nil && first.branches.isEmpty ? first.text : nil
    guard stage == 0, let source, let subject = registry.subject(source) else {
      let zero = source == nil ? "" : "0, its source, and "
      let ends = "only \(zero)\(end), its end, can"
      throw DefinitionError(.usage, "stage \(stage ?? end) of \(name) cannot be tapped; \(ends)")
    }
    try access.check(.subscribe, source)
    return subject.tapped()
  }

  /// What all get from now on who subscribe to `pipeline` by its name.
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
  /// Its name stands for it no more; whoever subscribed by it goes on.
  func endTap() {
    guard let tap = companion as? Tap else { return }
    let text = "pipeline \(tap.subject.name) was deleted"
    tap.end(.failure(PipelineFailure(.deleted, text)), [])
  }
}

extension Run {
  /// What it sends from now on.
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

  /// Tells those who look on that it has ended, if it has.
  func endTap() {
    guard let tap else { return }
    switch state {
    case .running, .waiting: break
    case .finished: tap.end(.finished, [])
    case .failed(let failure):
      tap.end(.failure(failure), engine.origins(of: standing.pipeline.mentions))
    }
  }
}
