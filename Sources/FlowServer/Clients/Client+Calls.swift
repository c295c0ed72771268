internal import FlowCore
internal import FlowLanguage
internal import FlowTransport
internal import FlowWire

extension Client {
  func serve(_ name: String, id: UInt64, demand: Demand) {
    do throws(DefinitionError) {
      try checkStreamLimit()
    } catch {
      return session.refuse(error.code, error.message)
    }
    let worker = Worker(
      id: id,
      service: engine.services.service(name, in: engine),
      client: self,
      // Where the id is used anew, a late frame must not be taken for one of a call that runs.
      after: session.hasEnded(id) ? lastCall : 0
    )
    worker.service.add(worker)
    workers[id] = worker
    engine.counters.streams += 1
    engine.note(.opened(client: self.id, id: id, kind: "service", name: name))
    session.opened(id, .service, name)
    session.answer("OK serve \(id) \(name) demand=\(demand)")
    let first = "\(id).\(worker.lastNumber + 1)"
    session.hint("a call comes as = \(first) VALUE; answer = \(first) TEXT, then DONE \(first)")
    if demand == .none { session.hint("REQ \(id) 1 takes a call; CANCEL \(id) serves no more") }
    writeAnswers()
    worker.raise(demand)
    worker.ask()
  }

  /// Adds to the calls that a worker takes.
  func takeCalls(_ id: UInt64, _ demand: Demand) {
    guard let worker = workers[id] else { return }
    worker.raise(demand)
    session.confirm("OK req \(id) demand=\(worker.demand)")
    writeAnswers()
    worker.ask()
  }

  func stopServing(_ id: UInt64) {
    guard let worker = workers[id] else { return }
    session.answer("OK cancel \(id) values=\(worker.given) missed=0 undelivered=0")
    writeAnswers()
    worker.leave()
  }

  func forget(_ worker: Worker, _ reason: String) {
    engine.note(.ended(client: id, id: worker.id, name: worker.service.name, reason: reason))
    workers[worker.id] = nil
    lastCall = max(lastCall, worker.lastNumber)
    session.closed(worker.id)
    if lastWorker === worker { lastWorker = nil }
    engine.bury(worker)
    streamEnded()
  }

  // MARK: What a worker says

  /// Takes a value of a call; false when there is no room for it and the connection must wait.
  func take(_ id: StreamID, _ octets: UnsafeRawBufferPointer) -> Bool {
    guard case .running(let call) = call(id) else {
      session.beginUntagged()
      passOver(id, "value")
      afterCommand()
      return true
    }
    let outcome = unsafe call.take(octets)
    if case .full = outcome { return false }
    guard session.isTyped else { return true }
    session.beginUntagged()
    let held = outcome == .held ? "held=\(call.held) " : ""
    session.confirm("OK value \(id) \(held)demand=\(call.demand)")
    afterCommand()
    return true
  }

  func take(_ id: StreamID, _ signal: Session.CallSignal) {
    let found = call(id)
    switch signal {
    case .done:
      guard case .running(let call) = found else { return passOver(id, "done") }
      session.confirm("OK done \(id)")
      writeAnswers()
      call.end(.finished)
    case .fail(let code, let text):
      guard case .running(let call) = found else { return passOver(id, "fail") }
      session.confirm("OK fail \(id)")
      writeAnswers()
      call.end(.failure(PipelineFailure(code: code, message: text)))
    case .request:
      guard case .running = found else { return passOver(id, "req") }
      session.refuseSignal("usage", "you send on call \(id); DONE \(id) ends it")
    case .cancel:
      switch found {
      case .running:
        session.refuse("usage", "call \(id) is yours to answer; FAIL \(id) CODE ends it")
      case .ended: session.answer("OK cancel \(id) ended")
      case .unknown: session.refuse(call: id)
      }
    }
  }

  /// Ignores what is about a call that has ended; tells of one that there never was.
  private func passOver(_ id: StreamID, _ verb: String) {
    if case .unknown = call(id) {
      session.refuse(call: id)
    } else {
      session.confirm("OK \(verb) \(id) ended")
    }
  }

  private func call(_ id: StreamID) -> Worker.Found {
    if let lastWorker, lastWorker.id == id.rawValue { return lastWorker.call(id.call) }
    guard let worker = workers[id.rawValue] else {
      return session.hasEnded(call: id) ? .ended : .unknown
    }
    lastWorker = worker
    return worker.call(id.call)
  }

  // MARK: The turn

  /// Whether calls may be written, or so much is unsent that other workers are the better ones.
  var hasRoomForCalls: Bool { connection.unsent < engine.configuration.window }

  func noteFull(_ worker: Worker) {
    fullWorkers.append(worker)
    noteForEndOfTurn()
  }

  func noteWanting(_ call: Call) {
    wantingCalls.append(call)
    noteForEndOfTurn()
  }

  /// Tells what pipelines want more of calls, once a turn, and only of those that go on.
  func tellWanted() {
    swap(&wantingCalls, &toldCalls)
    for call in toldCalls { call.tellWanted() }
    toldCalls.removeAll(keepingCapacity: true)
  }

  /// After octets were sent: workers may have room for calls again.
  func refillWorkers() {
    let workers = fullWorkers
    fullWorkers.removeAll()
    for worker in workers { worker.refill() }
  }
}
