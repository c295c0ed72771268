internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

extension ClientSubscription {
  func finishTaking() {
    stopSource()
    dropParked()
    finish(.finished)
  }

  func finish(_ completion: Subscribers.Completion<PipelineFailure>) {
    guard isOpen else { return }
    sayFirst()
    // Values that came before the end go out before it.
    if let parked, parked.count > 0 {
      // The reason is hidden now, because later it is unknown what was read.
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

  /// The failure without names and values that its client may not see.
  private func visible(_ failure: PipelineFailure) -> PipelineFailure {
    readsAll ? failure : failure.hidden
  }

  var readsAll: Bool {
    !client.session.access.isRestricted || source.names.map { client.gate.reads(all: $0) } ?? true
  }

  func fail(_ failure: PipelineFailure) {
    guard isOpen else { return }
    sayFirst()
    countReplaced()
    stopSource()
    dropParked()
    client.anyExtras?.durables[id]?.leave()
    finish(.failure(failure))
  }

  /// Ends the stream for the client, without a further message.
  func cancel() {
    guard isOpen else { return }
    sayFirst()
    countReplaced()
    undelivered = parkedCount
    dropParked()
    close(nil)
    stopSource()
  }

  /// Takes no more values, and closes when waiting ones have gone out.
  ///
  /// Their senders were told that these values were delivered.
  func wind() {
    guard let parked, parked.count > 0 else { return cancel() }
    guard !parked.areLast, parked.end == nil else { return }
    parked.areLast = true
    countReplaced()
    stopSource()
  }

  /// Fails the stream if it is still open after `nanoseconds`.
  func limit(to nanoseconds: Int64) {
    let clock = client.engine.clock
    let time = VirtualTimeScheduler.SchedulerTimeType.Stride.nanoseconds(Int(max(nanoseconds, 1)))
    deadline = AnyCancellable(
      clock.schedule(after: clock.now.advanced(by: time), interval: time) { [weak self] in
        self?.fail(.timeout, "not all values arrived in time")
      }
    )
  }

  private func dropParked() {
    guard let parked else { return }
    self.parked = nil
    client.charged.remove(parked.bytes)
    if parked.count > 0 { missed(parked.count, .noDemand) }
  }

  private func countReplaced() {
    if let outlet = source.outlet { outlet.subject?.countReplaced(outlet) }
  }

  /// Closes the stream at its end, or because the client cancelled it (nil).
  private func close(_ completion: Subscribers.Completion<PipelineFailure>?) {
    isOpen = false
    // Before the client forgets it, because a caller may not retain it.
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
