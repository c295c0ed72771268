internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

// How a stream ends.
extension ClientSubscription {
  func finishTaking() {
    stopSource()
    dropParked()
    finish(.finished)
  }

  /// Takes the end from the pipeline.
  func finish(_ completion: Subscribers.Completion<PipelineFailure>) {
    guard isOpen else { return }
    sayFirst()
    // What came before the end goes out before it.
    if let parked, parked.count > 0 {
      // Who may not be told is told nothing, also once it is forgotten what was read.
      parked.end = completion.failure.map { .failure(visible($0)) } ?? completion
      source.context?.leave(readsAll)
      source = .none
      return
    }
    if hasMisses { reportMisses() }
    close(completion)
    if !isRaw { sendEnd(completion) }
    client.streamEnded()
  }

  private func sendEnd(_ completion: Subscribers.Completion<PipelineFailure>) {
    switch completion {
    case .finished: client.signal(.done(wireID))
    case .failure(let failure):
      client.signal(.fail(wireID, code: failure.code, text: visible(failure).message))
      client.engine.counters.count("FAIL", failure.code)
    }
  }

  /// A failure as its client may see it: the text may show values and names of all that is read.
  private func visible(_ failure: PipelineFailure) -> PipelineFailure {
    readsAll ? failure : failure.hidden
  }

  var readsAll: Bool {
    !client.session.access.isRestricted || source.names.map { client.gate.reads(all: $0) } ?? true
  }

  /// Ends the stream with an error of its own.
  func fail(_ failure: PipelineFailure) {
    guard isOpen else { return }
    sayFirst()
    countReplaced()
    stopSource()
    dropParked()
    client.anyExtras?.durables[id]?.leave()
    finish(.failure(failure))
  }

  /// Ends the stream from the client's side; it says nothing more.
  func cancel() {
    guard isOpen else { return }
    sayFirst()
    countReplaced()
    undelivered = parkedCount
    dropParked()
    close(nil)
    stopSource()
  }

  /// Takes nothing more, and goes when what waits for room has gone out: whoever sent it was told that
  /// it had been given to this stream.
  func wind() {
    guard let parked, parked.count > 0 else { return cancel() }
    guard !parked.areLast, parked.end == nil else { return }
    parked.areLast = true
    countReplaced()
    stopSource()
  }

  /// Fails it if it is still there after so many nanoseconds.
  func limit(to nanoseconds: Int64) {
    let clock = client.engine.clock
    let time = VirtualTimeScheduler.SchedulerTimeType.Stride.nanoseconds(Int(max(nanoseconds, 1)))
    deadline = AnyCancellable(
      clock.schedule(after: clock.now.advanced(by: time), interval: time) { [weak self] in
        self?.fail(.timeout, "not all values arrived in time")
      }
    )
  }

  /// Drops what waits.
  private func dropParked() {
    guard let parked else { return }
    self.parked = nil
    client.charged.remove(parked.bytes)
    if parked.count > 0 { missed(parked.count, .noDemand) }
  }

  private func countReplaced() {
    if let outlet = source.outlet { outlet.subject?.countReplaced(outlet) }
  }

  /// Closes it with what it ended with, or because the client has cancelled it.
  private func close(_ completion: Subscribers.Completion<PipelineFailure>?) {
    isOpen = false
    // Before its client forgets it: whoever told it the end need not hold it.
    client.engine.releaseLater(self)
    deadline = nil
    let reason = completion?.reason ?? "cancel"
    client.engine.notify(.ended(client: client.id, id: id, name: name, reason: reason))
    if let (pipeline, counters) = running {
      pipeline.runEnds(counters, completion?.failure, at: client.engine.now)
    }
    client.engine.counters.delivered += values
    for (reason, count) in misses?.untold ?? [:] {
      client.engine.counters.countMissed(count, reason)
    }
    source.context?.leave(readsAll)
    parked = nil
    client.forget(self)
  }

  private func stopSource() {
    let (old, readsAll) = (source, readsAll)
    source = .none
    old.stop(readsAll)
  }
}
