internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

extension Client {
  /// Runs a command, which was typed as `line`, or refuses it.
  func perform(_ command: TaggedCommand, _ line: UnsafeRawBufferPointer) {
    session.begin(tag: command.tag)
    do throws(DefinitionError) {
      try authorize(command.command)
      try run(command.command)
    } catch {
      if command.command.isSignal {
        session.refuseSignal(error.code, error.message)
      } else {
        session.refuse(error.code, error.message)
      }
      if let place = error.place {
        // Shows a person where the mistake is.
        for hint in unsafe place.drawing(in: String(decoding: line, as: UTF8.self)) {
          session.hint(hint)
        }
      }
      wasRefused(command.command.verb)
    }
  }

  /// Refuses a command that may not be run: before the token, for want of a right, or since the
  /// server goes away.
  func authorize(_ command: Command) throws(DefinitionError) {
    let access = session.access
    guard access.isGranted || command.needsNoToken else {
      throw DefinitionError(.denied, Access.first)
    }
    if session.isDraining, command.opensSomething { throw .draining }
    guard access.isRestricted else { return }
    switch command {
    case .hello, .auth, .help, .ping, .quit: break
    // They are about what the client has open.
    case .request, .cancel, .done(.stream), .fail(.stream, _, _): break
    case .subject(let name, _), .delete(let name, _): try access.check(.define, name)
    // The names in an expression are checked where they are looked up.
    case .pipeline(let name, _):
      try access.check(.define, name)
      try access.check(.subscribe, to: "subscribe")
    case .run(let name, _, _):
      try access.check(.define, name)
      try access.check(.subscribe, to: "subscribe")
      try access.check(.send, to: "send")
    case .explain, .subscribe, .take, .tail: try access.check(.subscribe, to: "subscribe")
    case .list(.streams, _), .list(.clients, _):
      try access.check(.administer, to: "see all clients")
    case .list, .watch(nil, _, _, _): break
    case .stats(nil): try access.check(.administer, to: "see the server's statistics")
    case .kill(.name(let name)): try access.check(.administer, name)
    case .kill: try access.check(.administer, to: "end other clients' connections and streams")
    case .stats(let name?) where Name.isPattern(name):
      try access.check(.subscribe, to: "subscribe")
    case .show(let name), .stats(let name?), .watch(let name?, _, _, _),
      .tap(let name, _, _, _):
      try access.check(.subscribe, name)
    case .send(let name, _), .feed(let name): try access.check(.send, name)
    case .publish(let name, _, _, _, let owner):
      try access.check(.send, name)
      if owner { try access.check(.complete, name) }
    case .done(.name(let name)), .fail(.name(let name), _, _): try access.check(.complete, name)
    case .serve(let name, _, _): try access.check(.serve, name)
    }
  }

  private func run(_ command: Command) throws(DefinitionError) {
    switch command {
    case .hello(let version, let ping, let name):
      if let period = try session.greet(
        version,
        ping,
        within: engine.configuration.ping,
        name
      ) {
        keepAlive(period, written: connection.written)
      }
    case .auth(let token): tryToken(token)
    case .help(let word): try help(word)
    case .ping(let text): session.pong(text)
    case .quit(let now): quit(now: now)
    case .subject(let name, let settings): try define(name, settings)
    case .pipeline(let name, let expression): try define(name, expression)
    case .run(let name, let expression, let restart):
      try run(name, expression, restart: restart)
    case .delete(let name, nil): try delete(name)
    case .delete(let name, let durable?): try delete(durable: durable, of: name)
    case .list(let kind, let pattern): list(kind, like: pattern)
    case .show(let name): try show(name)
    case .explain(let expression): try explain(expression)
    case .stats(let name): try stats(name)
    case .watch(let name, let stream, let filter, let known):
      try watch(name, WatchQuery(name, stream, filter), known: known)
    case .kill(let victim): try kill(victim)
    case .send(var name, let value):
      name.withUTF8 { name in
        unsafe value.withUnsafeBytes { unsafe send(UnsafeRawBufferPointer(name), $0) }
      }
    case .subscribe(let expression, let demand, let id, let window, nil):
      try subscribe(expression, id, demand, window: window)
    case .subscribe(let expression, let demand, let id, let window, let durable?):
      try subscribe(durable: durable, expression, id, demand, window: window)
    case .take(let expression, let count, let id, let within):
      try subscribe(expression, id, .max(count), take: Int(clamping: count), within: within)
    case .tail(let expression): try tail(expression)
    case .tap(let name, let stage, let demand, let id): try tap(name, stage: stage, id, demand)
    case .publish(let name, let id, let grant, let over, let owner):
      try publish(name, id, grant: grant, over: over, owner: owner)
    case .feed(let name): try feed(name)
    case .serve(let name, let demand, let id): try serve(name, id, demand)
    case .request(.stream(let id), _) where id.isCall: try refuseRequest(call: id)
    case .request(let target, let count): try request(target, count)
    case .cancel(.stream(let id)) where id.isCall: try refuseCancel(call: id)
    case .cancel(let target): try cancel(target)
    case .done(let target): try end(target, failure: nil)
    case .fail(let target, let code, let text):
      try end(target, failure: PipelineFailure(code: code, message: text))
    }
  }

  /// After the refusal of a command behind which lines may come that are none.
  func wasRefused(_ verb: Verb) {
    switch verb {
    case .tail: endAfterRefusedTail()
    case .feed: skipLines()
    default: break
    }
  }

  private func define(_ name: String, _ settings: SubjectSettings) throws(DefinitionError) {
    let isNew = try engine.define(name, settings)
    let answer = Answer.subject(name: name, settings)
    guard settings.nats != nil, let shared = engine.shared?[name] else {
      return session.answer(answer)
    }
    let pending = hold(orSay: shared.away("made"))
    let undo = { [engine] in
      guard isNew, engine.shared?[name] === shared else { return }
      engine.registry.remove(name)?.end()
      engine.shared?.nameIsFree(name)
    }
    shared.whenOpen { [weak self] error in
      if error != nil { undo() }
      self?.answer(pending, error, answer)
    }
    limit(pending, undo)
  }

  private func define(_ name: String, _ expression: Expression) throws(DefinitionError) {
    let pipeline = try engine.define(name, expression, for: session.access)
    let stages = gate.folded(pipeline.stages, of: pipeline.mentions, isOwn: true)
    session.answer(.pipeline(name: name, stages: stages.count))
  }

  private func run(
    _ name: String,
    _ expression: Expression,
    restart: Int64?
  ) throws(DefinitionError) {
    let run = try engine.define(run: name, expression, restart: restart, for: session.access)
    if let known = engine.registry.run(name), let shared = known.shared {
      return define(known, shared, isNew: run != nil)
    }
    session.answer(.plain(.run, name))
    writeAnswers()
    run?.start()
  }

  /// Answers when all servers know of a run.
  private func define(_ run: Run, _ shared: SharedRun, isNew: Bool) {
    let answer = Answer.plain(.run, "\(run.name) resume=\(shared.resume.rawValue)")
    guard isNew else { return session.answer(answer) }
    let pending = hold(orSay: shared.away)
    let undo = { [engine] in
      guard engine.registry.run(run.name) === run else { return }
      engine.releaseLater(run)
      engine.registry.remove(run.name)?.end()
      engine.shared?.nameIsFree(run.name)
    }
    shared.whenOpen { [weak self] error in
      if error != nil { undo() }
      self?.answer(pending, error, answer)
    }
    limit(pending, to: SharedRun.patience, undo)
    run.start()
  }

  private func delete(_ name: String) throws(DefinitionError) {
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
    session.answer(.plain(.delete, name))
    writeAnswers()
    engine.notify(.deleted(kind: entry.kind, name: name))
    entry.end()
    engine.shared?.nameIsFree(name)
  }

  /// Deletes a subject that lives in NATS, there first.
  private func delete(_ shared: SharedSubject) {
    let pending = hold(orSay: shared.away("deleted"))
    wait(for: pending)
    shared.delete { [weak self] error in
      self?.answer(pending, error, .plain(.delete, shared.name))
      if error == nil { shared.isDeleted() }
    }
    limit(pending)
  }

  /// Deletes what NATS has of a name that cannot be what it says here.
  private func delete(_ name: String, _ entry: SharedNames.Entry, of shared: SharedSubjects) {
    let text = "NATS has not answered; \(name) may or may not have been deleted"
    let away = DefinitionError(.away, text)
    let pending = hold(orSay: away)
    wait(for: pending)
    shared.delete(name, entry) { [weak self] isDone in
      self?.answer(pending, isDone ? nil : away, .plain(.delete, name))
    }
    limit(pending)
  }

  /// Deletes a run of which several servers know.
  private func delete(_ run: Run, _ shared: SharedRun) {
    let pending = hold(orSay: shared.away)
    wait(for: pending)
    shared.delete { [weak self] error in
      self?.answer(pending, error, .plain(.delete, run.name))
      if error == nil { run.isDeletedElsewhere() }
    }
    limit(pending)
  }

  func unknownName(_ name: String) -> DefinitionError {
    engine.unknownName(name, for: session.access)
  }

  // MARK: DONE and FAIL

  private func end(_ target: Target, failure: PipelineFailure?) throws(DefinitionError) {
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
    guard subject.completion == nil, !engine.entrance(to: subject).takesNoMore else {
      let text = "subject \(name) has completed; DELETE \(name) first"
      throw DefinitionError(.completed, text)
    }
    if let shared = engine.shared?[name] {
      let pending = hold(orSay: shared.away("completed"))
      limit(pending)
      return shared.complete(completion) { [weak self] error in
        self?.answer(pending, error, .completed(verb, .name(name)))
      }
    }
    session.answer(.completed(verb, .name(name)))
    writeAnswers()
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
      let figures = verb == .done && !publication.subject.isEntrance ? publication.figures : nil
      let answer = Answer.completed(verb, .stream(wireID), figures)
      if !publication.subject.isEntrance {
        session.confirm(answer)
      } else if session.confirms {
        let lost = PendingAnswer.lost(of: publication)
        let pending = hold { lost }
        publication.whenSettled { [weak self] reason in
          self?.answer(pending, reason == nil ? .ok(answer) : lost)
        }
      }
      end(publication, completion)
    case .subscription:
      throw DefinitionError(.usage, "stream \(id) is a subscription; end it with CANCEL \(id)")
    case .service:
      throw DefinitionError(.usage, "stream \(id) is a worker; end it with CANCEL \(id)")
    case nil where open.hasEnded(id): session.confirm(.ended(verb, wireID))
    case nil: throw open.unknown(id)
    }
  }
}

extension Command {
  /// Whether it is taken before the token.
  fileprivate var needsNoToken: Bool {
    switch self {
    case .hello, .auth, .ping, .help, .quit: true
    default: false
    }
  }

  /// Whether it makes something that a server which goes away does not make.
  fileprivate var opensSomething: Bool {
    switch self {
    case .subject, .pipeline, .run, .subscribe, .take, .tail, .tap, .publish, .feed, .serve: true
    default: false
    }
  }

  /// Whether it is one that a framed connection expects no answer to.
  fileprivate var isSignal: Bool {
    switch self {
    case .request, .done(.stream), .fail(.stream, _, _): true
    default: false
    }
  }

  /// Whether it is as little work as a value.
  var isLight: Bool {
    switch self {
    case .request, .cancel, .ping, .done(.stream), .fail(.stream, _, _), .hello, .auth: true
    default: false
    }
  }
}
