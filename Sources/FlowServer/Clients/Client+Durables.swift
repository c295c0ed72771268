internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

// Durable subscriptions: SUB … durable=NAME, the REQ that acknowledges, and DELETE … durable=NAME.
extension Client {
  func subscribe(
    durable name: String,
    _ expression: Expression,
    _ id: StreamID?,
    _ demand: Demand,
    window: Int?
  ) throws(DefinitionError) {
    let id = try newID(id)
    let pipeline = try engine.pipeline(expression, for: session.access)
    // The subject behind a pipeline's name is not revealed to clients that may not read it.
    guard let plain = pipeline.isPlainSubject, gate.reads(plain) else {
      let text = "RUN … .assign(to: SUBJECT) puts the values of a pipeline into one"
      throw DefinitionError(.usage, "durable takes a subject on=nats, not a pipeline; \(text)")
    }
    let backend = try backend(of: plain)
    // It stays, and holds up publishers, when the client is gone.
    try session.access.check(.define, plain)
    let durable = try backend.open(durable: name)
    let stream = openSubscription(id, plain, window: window)
    extras.durables[id] = durable
    durable.whenOver = { [weak self] in self?.anyExtras?.durables[id] = nil }
    let wireID = StreamID(rawValue: id)
    let answer = Answer.open(.subscribe, wireID, name: plain, demand: demand)
    let held = hold(orSay: backend.unanswered("opened", "durable=\(name) of \(plain)"))
    if demand != .none { stream.raise(demand) }
    reportOpened(stream)
    stream.subscribe(to: durable.subject)
    durable.start { [weak self] error in
      self?.answer(held, error, answer)
      if error == nil { stream.valuesMayCome() } else { stream.cancel() }
      if let self, ending != .no { linger() }
      self?.streamEnded()
    }
  }

  func delete(durable name: String, of subject: String) throws(DefinitionError) {
    let backend = try backend(of: subject)
    let held = hold(orSay: backend.unanswered("deleted", "durable=\(name) of \(subject)"))
    wait(for: held)
    let deletion = backend.delete(durable: name) { [weak self] error in
      self?.answer(held, error, .plain(.delete, "\(subject) durable=\(name)"))
    }
    limit(held, to: deletion.patience, deletion.stop)
  }

  /// The backend of the subject called `name`, which has durable subscriptions.
  private func backend(of name: String) throws(DefinitionError) -> any SubjectBackend {
    if let backend = engine.registry.subject(name)?.backend { return backend }
    guard engine.registry[name] != nil else { throw unknownName(name) }
    let text = "durable takes a subject on=nats; \(name) is known to this server only"
    throw DefinitionError(.usage, text)
  }

  /// A REQ acknowledges as many of the values that were sent as it asks for.
  func acknowledge(
    _ durable: any DurableSubscription,
    _ id: UInt64,
    _ count: RequestCount
  ) throws(DefinitionError) {
    guard case .demand(let demand) = count else { return }
    guard let count = demand.max else {
      let text = "max does not go with durable, as each REQ acknowledges a number"
      throw DefinitionError(.usage, text)
    }
    var unsent = 0
    if case .subscription(let stream)? = open[id] { unsent = stream.parkedCount }
    durable.acknowledge(count, unsent: unsent)
  }
}
