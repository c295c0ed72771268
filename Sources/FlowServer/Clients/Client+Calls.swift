internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

extension Client {
  func serve(_ name: String, _ id: StreamID?, _ demand: Demand) throws(DefinitionError) {
    let id = try newID(id)
    let worker = Worker(
      id: id,
      service: engine.services.service(name, in: engine),
      client: self,
      // If the id is reused, a late frame must not count for a running call.
      after: open.hasEnded(id) ? anyExtras?.lastCall ?? 0 : 0
    )
    worker.service.add(worker)
    open.open(id, .service(worker))
    engine.counters.streams += 1
    engine.notify(.opened(client: self.id, id: id, kind: "service", name: name))
    answer(.open(.serve, StreamID(rawValue: id), name: name, demand: demand))
    let first = "\(id).\(worker.lastNumber + 1)"
    hint("a call arrives as = \(first) VALUE; answer with = \(first) TEXT, then DONE \(first)")
    if demand == .none { hint("REQ \(id) 1 accepts a call; CANCEL \(id) stops serving") }
    worker.raise(demand)
    worker.requestMore()
  }

  func stop(_ worker: Worker) {
    let id = StreamID(rawValue: worker.id)
    answer(.cancel(id, values: Int(worker.given), missed: 0, undelivered: 0))
    worker.leave()
  }

  func forget(_ worker: Worker, _ reason: String) {
    engine.notify(.ended(client: id, id: worker.id, name: worker.service.name, reason: reason))
    extras.lastCall = max(extras.lastCall, worker.lastNumber)
    open.close(worker.id)
    if extras.recentWorker === worker { extras.recentWorker = nil }
    engine.releaseLater(worker)
    streamEnded()
  }

  // MARK: From workers

  /// Takes a value of a call; returns false if the connection must wait for room.
  func receive(_ id: StreamID, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard case .running(let call) = call(id) else {
      session.beginUntagged()
      do throws(DefinitionError) {
        try passOver(id, .value(id, .ended))
      } catch {
        refuse(error.code, error.message, isSignal: true)
      }
      afterCommand()
      return true
    }
    let outcome = unsafe call.receive(bytes)
    if case .full = outcome { return false }
    guard session.isInteractive else { return true }
    session.beginUntagged()
    let demand = call.demand
    let reception: Answer.Reception =
      outcome == .held ? .held(call.held, demand: demand) : .passed(demand: demand)
    confirm(.value(id, reception))
    afterCommand()
    return true
  }

  func end(
    call id: StreamID,
    _ completion: ServerSubject.Completion,
    _ verb: Verb
  ) throws(DefinitionError) {
    guard case .running(let call) = call(id) else { return try passOver(id, .ended(verb, id)) }
    confirm(.completed(verb, .stream(id)))
    call.end(completion)
  }

  func refuseRequest(call id: StreamID) throws(DefinitionError) {
    guard case .running = call(id) else { return try passOver(id, .ended(.request, id)) }
    throw DefinitionError(.usage, "you send on call \(id); end it with DONE \(id)")
  }

  func refuseCancel(call id: StreamID) throws(DefinitionError) {
    switch call(id) {
    case .running:
      throw DefinitionError(.usage, "call \(id) is yours to answer; end it with FAIL \(id) CODE")
    case .ended: answer(.ended(.cancel, id))
    case .unknown: throw unknown(call: id)
    }
  }

  /// Ignores a frame for a call that has ended; refuses one for a call that never was.
  private func passOver(_ id: StreamID, _ answer: Answer) throws(DefinitionError) {
    if case .unknown = call(id) { throw unknown(call: id) }
    confirm(answer)
  }

  private func unknown(call id: StreamID) -> DefinitionError {
    guard session.access.isGranted else { return DefinitionError(.denied, Access.first) }
    switch open[id.rawValue] {
    case .subscription, .publication:
      let text = "stream \(id.rawValue) is not a worker; open one with SERVE"
      return DefinitionError(.usage, text)
    case .service, nil: return open.unknown(id)
    }
  }

  private func call(_ id: StreamID) -> Worker.Found {
    if let last = anyExtras?.recentWorker, last.id == id.rawValue { return last.call(id.call) }
    guard let worker = open.worker(id.rawValue) else {
      return open[id.rawValue] == nil && open.hasEnded(id.rawValue) ? .ended : .unknown
    }
    extras.recentWorker = worker
    return worker.call(id.call)
  }

  /// Whether calls may be written; if much is unsent, other workers get them.
  var hasRoomForCalls: Bool { connection.unsent < engine.configuration.demand.window }

  func scheduleResume(of worker: Worker) {
    extras.fullWorkers.append(worker)
    scheduleEndOfTurn()
  }

  func scheduleRequest(by call: Call) {
    extras.wantingCalls.append(call)
    scheduleEndOfTurn()
  }

  /// Sends the demand that pipelines added to open calls, once a turn.
  func sendRequests(_ extras: Extras) {
    swap(&extras.wantingCalls, &extras.requestingCalls)
    for call in extras.requestingCalls { call.sendRequest() }
    extras.requestingCalls.removeAll(keepingCapacity: true)
  }

  /// Offers calls to this client's workers again, because bytes were sent.
  func resumeWorkers(_ extras: Extras) {
    let workers = extras.fullWorkers
    extras.fullWorkers.removeAll()
    for worker in workers { worker.resume() }
  }
}
