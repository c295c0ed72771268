internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

// Loss, completion and deletion.
extension SharedSubject {
  // MARK: Loss

  /// The stream is lost, or only its last values are: the rest of it can still be read.
  func declareLost(_ answer: StreamAnswer?) {
    let last = answer?.last ?? 0
    let read = inlets.compactMap(\.expected).min().map { $0 - 1 } ?? 0
    let newest = max(room.newest, room.announced)
    let known = min(newest, max(last, room.floor, room.oldFloor, read))
    let loss = StreamLoss(
      name: name,
      isWhole: answer == nil,
      last: last,
      newest: newest,
      count: newest - known
    )
    state.lose(loss, answer?.settings)
    engine.notify(.natsLost(name: name, count: Int(clamping: loss.count), text: loss.text))
    outbox.streamIsLost()
    for inlet in inlets { inlet.streamIsLost(loss) }
    notifyWaiting(loss.error)
    if answer != nil { mark(loss) }
  }

  /// Marks the stream as one that has lost its end, for servers that are started later.
  ///
  /// The mark is a consumer, whose settings NATS keeps even if it has no room to store values.
  private func mark(_ loss: StreamLoss) {
    let settings = ConsumerSettings(
      start: loss.newest + 1,
      acknowledges: true,
      threshold: nil,
      server: engine.clients.place
    )
    link.request(names.create(consumer: JetStream.lossMark, of: name, settings)) { _ in }
  }

  // MARK: The end

  /// Takes no more values, since the stream takes none; its end message says how the subject has ended.
  func seal() {
    state.seal()
    outbox.close(.completed)
    intake.complete(.finished)
    guard !isSealed else { return }
    isSealed = true
    forceEndLater()
  }

  /// Ends the subject if its end is still missing later: the server that was to store the end has died.
  private func forceEndLater() {
    shared.after(Self.patience) { [weak self] in
      guard let self, !isGone, subject.completion == nil, stream?.end == nil else { return }
      outbox.end.force(.failure(Publication.lost))
    }
  }

  /// How long the end of a stream that takes no values may be missing, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  /// The end of the subject is stored, or about to be.
  func hasEnded() {
    seal()
    findEnd()
  }

  /// The end has been read.
  func ended(_ completion: ServerSubject.Completion) {
    outbox.close(.completed)
    intake.complete(completion)
    subject.complete(completion)
  }

  /// Completes the subject for all servers; `done` gets the reason if that fails.
  func complete(
    _ completion: ServerSubject.Completion,
    _ done: @escaping (DefinitionError?) -> Void
  ) {
    outbox.end.whenWritten(done)
    intake.complete(completion)
  }

  // MARK: Deletion

  func delete(_ done: @escaping (DefinitionError?) -> Void) {
    deleteStream { [self] error in
      done(error)
      if error == nil { isDeleted() }
    }
  }

  /// Deletes the stream and then the name; `done` gets the reason if that fails.
  ///
  /// Something else that NATS has by this name stays.
  private func deleteStream(_ done: @escaping (DefinitionError?) -> Void) {
    if case .refused = state.phase { return done(nil) }
    guard link.isUp else { return done(away("deleted")) }
    if state.definition == nil, loss == nil {
      // The name is being defined, which must be finished first.
      return whenOpen { [weak self] error in
        guard let self else { return }
        if case .refused = state.phase { return done(nil) }
        if error == nil { return deleteStream(done) }
        // If NATS has no room for the subject, there is nothing to delete.
        done(error?.code == .limit ? nil : away("deleted"))
      }
    }
    state.isDeleting = true
    let end = { [weak self] (isDone: Bool) in
      guard let self else { return }
      state.isDeleting = false
      done(isDone ? nil : away("deleted"))
      if let entry = shared.definitions[name] { heard(entry) }
    }
    link.request(names.delete(name)) { [weak self] reply in
      guard let self else { return }
      if let error = JetStreamError(reply), error.number != .streamNotFound { return end(false) }
      // The name is deleted last: if it were defined again before, the new stream would be deleted. If NATS has lost
      // the name as well, a deletion is still stored, for the other servers that have the subject.
      guard let definition = state.definition ?? (loss == nil ? nil : 0) else { return end(true) }
      shared.definitions.delete(name, at: definition, matching: { _ in false }, end)
    }
  }

  /// The subject was deleted, here or elsewhere: removes it from this server.
  func isDeleted() {
    guard !isGone, engine.registry.subject(name) === subject else { return }
    inlet.tellOpen()
    guard let entry = engine.registry.remove(name) else { return }
    let wasKnown = state.definition != nil || loss != nil
    let shared = shared
    engine.notify(.deleted(kind: entry.kind, name: name))
    entry.end()
    if wasKnown { shared.isDeleted(name) } else { shared.nameIsFree(name) }
  }

  /// This server lets go of the subject.
  func leave() {
    state.leave()
    subject.whenReadersChange = nil
    for inlet in inlets { inlet.leave() }
    // Durable subscriptions that are being opened get their answer before anything else of the stream.
    for durable in durables.values { durable.subjectIsDeleted() }
    for inlet in readerInlets { inlet.subject.delete() }
    outbox.close(.deleted)
    intake.delete()
    notifyWaiting(deleted)
    for part in subject.readable + [intake] { part.backend = nil }
  }

  // MARK: Errors

  /// The error for a request about the subject, or about `part` of it, that NATS has not answered.
  func away(_ what: String, _ part: String? = nil) -> DefinitionError {
    let state = outbox.lacksStorage ? "NATS has no room to store it" : shared.silence
    return DefinitionError(.away, "\(state); \(part ?? name) may or may not have been \(what)")
  }

  /// The error for a request about the subject after its deletion.
  var deleted: DefinitionError {
    DefinitionError(.unknownName, "subject \(name) was deleted")
  }
}
