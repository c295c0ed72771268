internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

// DONE and FAIL.
extension Client {
  func end(_ target: Target, failure: PipelineFailure?) throws(DefinitionError) {
    let completion = failure.map(ServerSubject.Completion.failure) ?? .finished
    let verb = failure == nil ? Verb.done : .fail
    switch target {
    case .name(let name): try complete(name, completion, verb)
    case .stream(let id) where id.isCall: try end(call: id, completion, verb)
    case .stream(let id): try end(id.rawValue, completion, verb)
    }
  }

  private func complete(
    _ name: String,
    _ completion: ServerSubject.Completion,
    _ verb: Verb
  ) throws(DefinitionError) {
    guard let subject = engine.registry.subject(name) else {
      if engine.registry[name] == nil { throw unknownName(name) }
      throw DefinitionError(.usage, "\(name) is not a subject; only a subject can be completed")
    }
    guard subject.completion == nil, !subject.intake.takesNoMore else {
      let text = "subject \(name) has completed; DELETE \(name) first"
      throw DefinitionError(.completed, text)
    }
    if let backend = subject.backend {
      let held = hold(orSay: backend.unanswered("completed", name))
      limit(held)
      return backend.complete(completion) { [weak self] error in
        self?.answer(held, error, .completed(verb, .name(name)))
      }
    }
    answer(.completed(verb, .name(name)))
    subject.completeBehindHeld(completion)
  }

  private func end(
    _ id: UInt64,
    _ completion: ServerSubject.Completion,
    _ verb: Verb
  ) throws(DefinitionError) {
    let wireID = StreamID(rawValue: id)
    switch open[id] {
    case .publication(let publication):
      let backend = publication.subject.backend
      let figures = verb == .done && backend == nil ? publication.figures : nil
      let answer = Answer.completed(verb, .stream(wireID), figures)
      if let backend, session.confirms {
        let held = hold(orSay: backend.notStored(.away))
        publication.whenSettled { [weak self] reason in
          self?.answer(held, reason == nil ? nil : backend.notStored(.away), answer)
        }
      }
      end(publication, completion)
      if backend == nil { confirm(answer) }
    case .subscription:
      throw DefinitionError(.usage, "stream \(id) is a subscription; end it with CANCEL \(id)")
    case .service:
      throw DefinitionError(.usage, "stream \(id) is a worker; end it with CANCEL \(id)")
    case nil where open.hasEnded(id): confirm(.ended(verb, wireID))
    case nil: throw open.unknown(id)
    }
  }
}
