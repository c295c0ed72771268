internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

extension Client {
  func subscribe(
    _ expression: Expression,
    _ id: StreamID?,
    _ demand: Demand,
    window: Int? = nil,
    take: Int? = nil,
    within: Int64? = nil
  ) throws(DefinitionError) {
    let id = try newID(id)
    let pipeline = try engine.pipeline(expression, for: session.access)
    try engine.checkUse(of: pipeline, for: session.access)
    let name = engine.registry[expression.text] == nil ? "-" : expression.text
    let stream = openSubscription(id, name, window: window, take: take)
    stream.flow = flow(of: stream, on: pipeline)
    let verb = take == nil ? Verb.subscribe : .take
    let answer = Answer.open(
      verb,
      StreamID(rawValue: id),
      name: name,
      demand: demand,
      flow: stream.flow
    )
    let backends = backends(of: pipeline).filter { !$0.isReading }
    if backends.isEmpty {
      self.answer(answer)
    } else {
      let held = hold { _ in .ok(answer) }
      stream.wait { [weak self] in self?.answer(held, .ok(answer)) }
    }
    if demand == .none {
      hint("REQ \(id) 10 asks for ten values; CANCEL \(id) ends it")
    }
    if demand != .none { stream.raise(demand) }
    start(stream, on: pipeline)
    if !backends.isEmpty { wait(for: backends[...]) { [weak stream] in $0.open(stream) } }
    if let within, stream.isOpen { stream.limit(to: within) }
  }

  /// `free` if `pipeline` reads subjects that do not wait for `stream`, or may do so.
  ///
  /// It may if it reads a pattern, or anything that the client may not know of.
  func flow(of stream: ClientSubscription, on pipeline: Pipeline) -> SubjectSettings.Flow? {
    guard !stream.holds else { return nil }
    let mayRead = !pipeline.patterns.isEmpty || !gate.seesInside(pipeline)
    let reads = pipeline.subjects.contains { engine.registry.subject($0)?.isLossless == true }
    return mayRead || reads ? .free : nil
  }

  /// Answers SUB now that all that `stream` reads is being read.
  private func open(_ stream: ClientSubscription?) {
    guard let stream, stream.isOpen else { return }
    stream.start()
    if ending != .no { linger() }
  }

  /// Opens a stream of the values that pass `name` or one of its stages.
  func tap(
    _ name: String,
    stage: Int?,
    _ id: StreamID?,
    _ demand: Demand
  ) throws(DefinitionError) {
    let id = try newID(id)
    let tap = try engine.tap(name, stage: stage, for: session.access)
    let stream = openSubscription(id, name, window: nil)
    answer(.open(.tap, stream.wireID, name: name, demand: demand))
    if demand == .none {
      hint("REQ \(id) 10 asks for ten values; CANCEL \(id) ends it")
    }
    stream.raise(demand)
    reportOpened(stream, as: "tap")
    stream.subscribe(to: tap.subject)
  }

  /// Opens a stream that has no source yet.
  func openSubscription(
    _ id: UInt64,
    _ name: String,
    window: Int?,
    take: Int? = nil
  ) -> ClientSubscription {
    let demand = engine.configuration.demand
    let stream = ClientSubscription(
      id: id,
      name: name,
      client: self,
      window: min(window ?? demand.window, demand.windowLimit),
      take: take
    )
    open.open(id, .subscription(stream))
    return stream
  }

  private func backends(of pipeline: Pipeline) -> [any SubjectBackend] {
    guard !engine.stores.isEmpty else { return [] }
    let names = pipeline.subjects + engine.registry.subjects(in: pipeline.patterns)
    return names.compactMap { engine.registry.subject($0)?.backend }
  }

  private func backends(of stream: ClientSubscription) -> [any SubjectBackend] {
    if let pipeline = stream.pipeline { return backends(of: pipeline) }
    return stream.source.outlet?.home?.backend.map { [$0] } ?? []
  }

  /// Calls `done` once all these backends read new values.
  private func wait(
    for backends: ArraySlice<any SubjectBackend>,
    _ done: @escaping (Client) -> Void
  ) {
    guard let first = backends.first else { return done(self) }
    first.whenReading { [weak self] in self?.wait(for: backends.dropFirst(), done) }
  }

  /// Subscribes `stream`, directly to the subject if the pipeline is only that.
  func start(_ stream: ClientSubscription, on pipeline: Pipeline) {
    reportOpened(stream)
    if let name = pipeline.isPlainSubject, let subject = engine.registry.subject(name) {
      stream.subscribe(to: subject)
    } else {
      stream.subscribe(to: pipeline)
    }
  }

  /// Counts a new stream and logs it.
  func reportOpened(_ stream: ClientSubscription, as kind: String = "subscription") {
    engine.counters.streams += 1
    engine.notify(.opened(client: id, id: stream.id, kind: kind, name: stream.name))
  }

  /// Returns the id for a new stream, or throws if there are too many.
  func newID(_ wish: StreamID?) throws(DefinitionError) -> UInt64 {
    let id = try open.id(for: wish)
    // Values of an ended durable stream with this id can no longer be acknowledged.
    anyExtras?.durables[id]?.leave()
    let limit = engine.configuration.connections.streamLimit
    guard open.count < limit else {
      let text = "the limit of \(limit) streams per connection is reached"
      throw DefinitionError(.limit, text)
    }
    return id
  }

  func request(_ target: Target, _ count: RequestCount) throws(DefinitionError) {
    let (id, stream) = try open.requested(target)
    let wireID = StreamID(rawValue: id)
    if let durable = anyExtras?.durables[id] { try acknowledge(durable, id, count) }
    switch (stream, count) {
    case (nil, _): confirm(.ended(.request, wireID))
    case (let stream?, .demand(let demand)):
      stream.raise(demand)
      confirm(.request(wireID, demand: stream.demand))
      stream.requestMore()
    case (let stream?, .refusedDemand(let count)):
      stream.fail(.badDemand, "demand is \(count), expected 1 or more")
      if session.tag != nil { confirm(.ended(.request, wireID)) }
    }
  }

  func cancel(_ target: Target) throws(DefinitionError) {
    let (id, _) = try open.requested(target)
    let wireID = StreamID(rawValue: id)
    switch open[id] {
    case .subscription(let stream):
      let backends = backends(of: stream)
      stream.cancel()
      anyExtras?.durables[id]?.leave()
      let answer = Answer.cancel(
        wireID,
        values: stream.values,
        missed: stream.misses?.untoldCount ?? 0,
        undelivered: stream.undelivered,
        why: stream.misses?.reasons ?? [:]
      )
      self.answer(answer, whenLeft: backends.filter { $0.isBeingLeft })
      streamEnded()
    case .service(let worker): stop(worker)
    case .publication, nil:
      anyExtras?.durables[id]?.leave()
      answer(.ended(.cancel, wireID))
    }
  }

  /// Answers when the backends have stored where the next reader must continue.
  private func answer(_ answer: Answer, whenLeft backends: [any SubjectBackend]) {
    guard !backends.isEmpty else { return self.answer(answer) }
    let held = hold { _ in .ok(answer) }
    limit(held)
    var left = backends.count
    for backend in backends {
      backend.whenLeft { [weak self] in
        left -= 1
        if left == 0 { self?.answer(held, .ok(answer)) }
      }
    }
  }

  func forget(_ stream: ClientSubscription) { open.close(stream.id) }
}
