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

  private func run(_ command: Command) throws(DefinitionError) {
    switch command {
    case .hello(let version, let ping, let name):
      if let period = try session.greet(version, ping, name) {
        keepAlive(period, written: connection.written)
      }
    case .auth(let token): tryToken(token)
    case .help(let word): try help(word)
    case .ping(let text): session.pong(text)
    case .quit(let now): quit(now: now)
    case .subject(let name, let settings): try define(name, settings)
    case .pipeline(let name, let expression): try define(name, expression)
    case .run(let name, let expression): try run(name, expression)
    case .delete(let name): try delete(name)
    case .list(let kind): list(kind)
    case .show(let name): try show(name)
    case .explain(let expression): try explain(expression)
    case .stats(let name): try stats(name)
    case .kill(let victim): try kill(victim)
    case .send(var name, let value):
      name.withUTF8 { name in
        unsafe value.withUnsafeBytes { unsafe send(UnsafeRawBufferPointer(name), $0) }
      }
    case .subscribe(let expression, let demand, let id, let window):
      try subscribe(expression, id, demand, window: window)
    case .take(let expression, let count, let id, let within):
      try subscribe(expression, id, .max(count), take: Int(clamping: count), within: within)
    case .tail(let expression): try tail(expression)
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
    try engine.define(name, settings)
    session.answer(.subject(name: name, settings))
  }

  private func define(_ name: String, _ expression: Expression) throws(DefinitionError) {
    let pipeline = try engine.define(name, expression, for: session.access)
    session.answer(.pipeline(name: name, stages: pipeline.stages.count))
  }

  private func run(_ name: String, _ expression: Expression) throws(DefinitionError) {
    let run = try engine.define(run: name, expression, for: session.access)
    session.answer(.run(name))
    writeAnswers()
    run?.start()
  }

  private func delete(_ name: String) throws(DefinitionError) {
    guard let entry = engine.registry.remove(name) else { throw unknownName(name) }
    session.answer(.delete(name))
    writeAnswers()
    engine.note(.deleted(kind: entry.kind, name: name))
    entry.end()
  }

  func unknownName(_ name: String) -> DefinitionError {
    DefinitionError("unknown-name", engine.unknownName(name, for: session.access))
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
      throw DefinitionError("usage", "\(name) is no subject; only a subject can be completed")
    }
    guard subject.completion == nil else {
      let text = "subject \(name) has completed; DELETE \(name) first"
      throw DefinitionError("completed", text)
    }
    session.answer(.completed(verb, .name(name)))
    writeAnswers()
    subject.complete(completion)
  }

  private func end(
    _ id: UInt64,
    _ completion: ServerSubject.Completion,
    _ verb: Verb
  ) throws(DefinitionError) {
    let wireID = StreamID(rawValue: id)
    switch open[id] {
    case .publication(let publication):
      session.confirm(.completed(verb, .stream(wireID)))
      end(publication, completion)
    case .subscription:
      throw DefinitionError("usage", "stream \(id) sends to you; CANCEL \(id) ends it")
    case .service:
      throw DefinitionError("usage", "stream \(id) brings calls to you; CANCEL \(id) ends it")
    case nil where open.hasEnded(id): session.confirm(.ended(verb, wireID))
    case nil: throw open.unknown(id)
    }
  }

  // MARK: Subscriptions

  private func subscribe(
    _ expression: Expression,
    _ id: StreamID?,
    _ demand: Demand,
    window: Int? = nil,
    take: Int? = nil,
    within: Int64? = nil
  ) throws(DefinitionError) {
    let id = try newID(id)
    let pipeline = try engine.pipeline(expression, for: session.access)
    let name = engine.registry[expression.text] == nil ? "-" : expression.text
    let stream = ClientSubscription(
      id: id,
      name: name,
      client: self,
      window: min(window ?? engine.configuration.window, engine.configuration.windowLimit),
      take: take
    )
    open.open(id, .subscription(stream))
    session.answer(
      .open(take == nil ? .subscribe : .take, StreamID(rawValue: id), name: name, demand: demand)
    )
    if demand == .none {
      session.hint("REQ \(id) 10 asks for ten values; CANCEL \(id) ends it")
    }
    writeAnswers()
    if demand != .none { stream.raise(demand) }
    start(stream, on: pipeline)
    if let within, stream.isOpen { stream.limit(to: within) }
  }

  /// Subscribes `stream`, to the subject itself where the pipeline is nothing else.
  func start(_ stream: ClientSubscription, on pipeline: Pipeline) {
    engine.counters.streams += 1
    engine.note(.opened(client: id, id: stream.id, kind: "subscription", name: stream.name))
    if let name = pipeline.isPlainSubject, let subject = engine.registry.subject(name) {
      stream.subscribe(to: subject)
    } else {
      stream.subscribe(to: pipeline)
    }
  }

  /// The id of a stream that is to be opened, if there may be one more.
  func newID(_ wish: StreamID?) throws(DefinitionError) -> UInt64 {
    let id = try open.id(for: wish)
    let limit = engine.configuration.streamLimit
    guard open.count < limit else {
      let text = "\(limit) streams are open on this connection, which is the limit"
      throw DefinitionError("limit", text)
    }
    return id
  }

  private func request(_ target: Target, _ count: RequestCount) throws(DefinitionError) {
    let (id, stream) = try open.requested(target)
    let wireID = StreamID(rawValue: id)
    switch (stream, count) {
    case (nil, _): session.confirm(.ended(.request, wireID))
    case (let stream?, .demand(let demand)):
      stream.raise(demand)
      session.confirm(.request(wireID, demand: stream.demand))
      writeAnswers()
      stream.ask()
    case (let stream?, .refusedDemand(let count)):
      stream.fail("bad-demand", "demand is \(count), expected 1 or more")
      session.confirmIfTagged(.ended(.request, wireID))
    }
  }

  private func cancel(_ target: Target) throws(DefinitionError) {
    let (id, _) = try open.requested(target)
    let wireID = StreamID(rawValue: id)
    switch open[id] {
    case .subscription(let stream):
      stream.cancel()
      session.answer(
        .cancel(
          wireID,
          values: stream.values,
          missed: stream.untoldMisses,
          undelivered: stream.undelivered
        )
      )
      streamEnded()
    case .service(let worker): stop(worker)
    case .publication, nil: session.answer(.ended(.cancel, wireID))
    }
  }

  func forget(_ stream: ClientSubscription) { open.close(stream.id) }
}

extension Command {
  /// Whether it is one that a framed connection expects no answer to.
  fileprivate var isSignal: Bool {
    switch self {
    case .request, .done(.stream), .fail(.stream, _, _): true
    default: false
    }
  }
}
