internal import FlowCore
internal import FlowLanguage
internal import FlowTransport
internal import FlowWire

extension Client {
  func perform(_ action: Session.Action, _ line: UnsafeRawBufferPointer) {
    if session.access.isRestricted, !isAllowed(action) { return }
    switch action {
    case .none: break
    case .authorize(let token): authorize(token)
    case .keepAlive(let period): keepAlive(period, written: connection.written)
    case .goodbye(let code, let text): bye(code, text)
    case .endAfterRefusedTail: endAfterRefusedTail()
    case .skipLines: skipLines()
    case .defineSubject(let name, let settings): define(name, settings)
    case .definePipeline(let name, let expression): unsafe define(name, expression, line)
    case .run(let name, let expression): unsafe run(name, expression, line)
    case .delete(let name): delete(name)
    case .list(let kind): list(kind)
    case .show(let name): show(name)
    case .explain(let expression): unsafe explain(expression, line)
    case .stats(let name): stats(name)
    case .kill(let victim): kill(victim)
    case .help(let word): help(word)
    case .send(var name, let value):
      name.withUTF8 { name in
        unsafe value.withUnsafeBytes { unsafe send(UnsafeRawBufferPointer(name), $0) }
      }
    case .completeSubject(let name, let failure): complete(name, failure)
    case .endPublication(let id, let failure):
      session.confirm("OK \(failure == nil ? "done" : "fail") \(id)")
      if let publication = publications[id] { end(publication, completion(failure)) }
    case .subscribe(let expression, let subscription):
      unsafe subscribe(expression, subscription, line)
    case .tail(let expression): unsafe tail(expression, line)
    case .feed(let name): feed(name)
    case .publish(let name, let id, let grant, let over, let owner):
      publish(name, id: id, grant: grant, over: over, owner: owner)
    case .serve(let name, let id, let demand): serve(name, id: id, demand: demand)
    case .signalCall(let id, let signal): take(id, signal)
    case .request(let id, let demand): request(id, demand)
    case .refuseDemand(let id, let text):
      streams[id]?.fail("bad-demand", text)
      workers[id]?.fail("bad-demand", text)
      session.confirmIfTagged("OK req \(id) ended")
    case .cancel(let id): cancel(id)
    case .quit(let now): quit(now: now)
    }
  }

  func define(_ name: String, _ settings: SubjectSettings) {
    do throws(DefinitionError) {
      try engine.define(name, settings)
      session.answer("OK subject \(name) \(settings.text)")
    } catch {
      session.refuse(error.code, error.message)
    }
  }

  func define(_ name: String, _ expression: Expression, _ line: UnsafeRawBufferPointer) {
    do throws(DefinitionError) {
      let pipeline = try engine.define(name, expression, for: session.access)
      session.answer("OK pipeline \(name) stages=\(pipeline.stages.count)")
    } catch {
      unsafe refuse(error, expression, line)
    }
  }

  func run(_ name: String, _ expression: Expression, _ line: UnsafeRawBufferPointer) {
    do throws(DefinitionError) {
      let run = try engine.define(run: name, expression, for: session.access)
      session.answer("OK run \(name)")
      writeAnswers()
      run?.start()
    } catch {
      unsafe refuse(error, expression, line)
    }
  }

  /// Answers with an error and, for a mistake in an expression, shows a person its place.
  func refuse(
    _ error: DefinitionError,
    _ expression: Expression,
    _ line: UnsafeRawBufferPointer
  ) {
    session.refuse(error.code, error.message)
    if let place = error.place {
      for hint in unsafe place.drawing(in: String(decoding: line, as: UTF8.self)) {
        session.hint(hint)
      }
    }
  }

  func delete(_ name: String) {
    guard let entry = engine.registry.remove(name) else { return refuseUnknownName(name) }
    session.answer("OK delete \(name)")
    writeAnswers()
    engine.note(.deleted(kind: entry.kind, name: name))
    entry.end()
  }

  func complete(_ name: String, _ failure: (code: String, text: String)?) {
    guard let subject = engine.registry.subject(name) else {
      return engine.registry[name] == nil
        ? refuseUnknownName(name)
        : session.refuse("usage", "\(name) is no subject; only a subject can be completed")
    }
    guard subject.completion == nil else {
      return session.refuse("completed", "subject \(name) has completed; DELETE \(name) first")
    }
    session.answer("OK \(failure == nil ? "done" : "fail") \(name)")
    writeAnswers()
    subject.complete(completion(failure))
  }

  func completion(_ failure: (code: String, text: String)?) -> ServerSubject.Completion {
    failure.map { .failure(PipelineFailure(code: $0.code, message: $0.text)) } ?? .finished
  }

  func refuseUnknownName(_ name: String) {
    session.refuse("unknown-name", engine.unknownName(name, for: session.access))
  }

  // MARK: Subscriptions

  func subscribe(
    _ expression: Expression,
    _ subscription: Session.Subscription,
    _ line: UnsafeRawBufferPointer
  ) {
    let pipeline: Pipeline
    do throws(DefinitionError) {
      try checkStreamLimit()
      pipeline = try engine.pipeline(expression, for: session.access)
    } catch {
      return unsafe refuse(error, expression, line)
    }
    let isName = engine.registry[expression.text] != nil
    let name = isName ? expression.text : "-"
    let window = min(
      subscription.window ?? engine.configuration.window,
      engine.configuration.windowLimit
    )
    let stream = Stream(
      id: subscription.id,
      name: name,
      client: self,
      window: window,
      take: subscription.take
    )
    streams[stream.id] = stream
    session.opened(stream.id, .subscription, name)
    let verb = subscription.take == nil ? "sub" : "take"
    session.answer("OK \(verb) \(stream.id) \(name) demand=\(subscription.demand)")
    if subscription.demand == .none {
      session.hint("REQ \(stream.id) 10 asks for ten values; CANCEL \(stream.id) ends it")
    }
    writeAnswers()
    if subscription.demand != .none { stream.raise(subscription.demand) }
    start(stream, on: pipeline)
    if let within = subscription.within, stream.isOpen { stream.limit(to: within) }
  }

  /// Subscribes `stream`, to the subject itself where the pipeline is nothing else.
  func start(_ stream: Stream, on pipeline: Pipeline) {
    engine.counters.streams += 1
    engine.note(.opened(client: id, id: stream.id, kind: "subscription", name: stream.name))
    if let name = pipeline.isPlainSubject, let subject = engine.registry.subject(name) {
      stream.subscribe(to: subject)
    } else {
      stream.subscribe(to: pipeline)
    }
  }

  func checkStreamLimit() throws(DefinitionError) {
    let limit = engine.configuration.streamLimit
    guard session.openCount >= limit else { return }
    throw DefinitionError("limit", "\(limit) streams are open on this connection, no more may be")
  }

  func request(_ id: UInt64, _ demand: Demand) {
    guard let stream = streams[id] else { return takeCalls(id, demand) }
    stream.raise(demand)
    session.confirm("OK req \(id) demand=\(stream.demand)")
    writeAnswers()
    stream.ask()
  }

  func cancel(_ id: UInt64) {
    guard let stream = streams[id] else { return stopServing(id) }
    stream.cancel()
    session.answer(
      "OK cancel \(id) values=\(stream.values) missed=\(stream.untoldMisses) undelivered=\(stream.undelivered)"
    )
    streamEnded()
  }

  func forget(_ stream: Stream) {
    streams[stream.id] = nil
    session.closed(stream.id)
  }
}
