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
    let shared = try sharedSubject(plain)
    // It stays, and holds up publishers, when the client is gone.
    try session.access.check(.define, plain)
    if let other = shared.durables[name] {
      guard other.hasEnded else { throw other.inUse }
      other.leave()
    }
    let stream = openSubscription(id, plain, window: window)
    let durable = DurableReader(name, of: shared)
    extras.durables[id] = durable
    durable.whenOver = { [weak self] in self?.anyExtras?.durables[id] = nil }
    let wireID = StreamID(rawValue: id)
    let answer = Answer.open(.subscribe, wireID, name: plain, demand: demand)
    let unknown = "NATS has not said whether durable=\(name) of \(plain) can be had"
    let held = hold(orSay: DefinitionError(.away, unknown))
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
    let shared = try sharedSubject(subject)
    if let reader = shared.durables[name] { throw reader.inUse }
    let held = hold(orSay: shared.away("deleted", "durable=\(name) of \(subject)"))
    wait(for: held)
    let deletion = DurableDeletion(name, of: shared)
    limit(held, to: DurableDeletion.patience) { deletion.stop() }
    deletion.start { [weak self] error in
      self?.answer(held, error, .plain(.delete, "\(subject) durable=\(name)"))
    }
  }

  /// The subject called `name`, which lives in NATS.
  private func sharedSubject(_ name: String) throws(DefinitionError) -> SharedSubject {
    if let shared = engine.shared?[name] {
      // If only the end of the stream is lost, the rest can be read.
      if let loss = shared.loss, loss.isWhole { throw loss.error }
      return shared
    }
    guard engine.registry[name] != nil else { throw unknownName(name) }
    let text = "durable takes a subject on=nats; \(name) is known to this server only"
    throw DefinitionError(.usage, text)
  }

  /// A REQ acknowledges as many of the values that were sent as it asks for.
  func acknowledge(
    _ durable: DurableReader,
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
