internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowServer
internal import FlowSubjects
internal import FlowWire

extension SharedSubject {
  /// Records the loss of the stream, or of its last values only.
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
    state.record(loss, answer?.settings)
    engine.notify(.natsLost(name: name, count: Int(clamping: loss.count), text: loss.text))
    outbox.streamIsLost()
    for inlet in inlets { inlet.streamIsLost(loss) }
    notifyWaiting(loss.error)
    if answer != nil { mark(loss) }
  }

  /// Marks the stream as damaged, for servers that start later.
  ///
  /// The mark is a consumer, because NATS stores its settings even without room for messages.
  private func mark(_ loss: StreamLoss) {
    let settings = ConsumerSettings(
      start: loss.newest + 1,
      acknowledges: true,
      threshold: nil,
      server: engine.place
    )
    link.request(names.create(consumer: JetStream.lossMark, of: name, settings)) { _ in }
  }

  /// Takes no more values, like the stream; its end message says how the subject has ended.
  func seal() {
    state.seal()
    outbox.close(.completed)
    intake.complete(.finished)
    guard !isSealed else { return }
    isSealed = true
    forceEndLater()
  }

  /// Ends the subject later if its end is still missing: the server that ends it may have died.
  private func forceEndLater() {
    shared.after(Self.patience) { [weak self] in
      guard let self, !isGone, subject.completion == nil, stream?.end == nil else { return }
      outbox.end.force(.failure(Publication.lost))
    }
  }

  /// How long the end of a sealed stream may be missing, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  func streamHasEnded() {
    seal()
    findEnd()
  }

  func ended(_ completion: ServerSubject.Completion) {
    outbox.close(.completed)
    intake.complete(completion)
    subject.complete(completion)
  }

  func complete(
    _ completion: ServerSubject.Completion,
    _ done: @escaping (DefinitionError?) -> Void
  ) {
    outbox.end.whenWritten(done)
    intake.complete(completion)
  }

  func delete(_ done: @escaping (DefinitionError?) -> Void) {
    deleteStream { [self] error in
      done(error)
      if error == nil { removeDeleted() }
    }
  }

  /// Deletes the stream and then the name.
  ///
  /// If NATS has something else by this name, that stays.
  private func deleteStream(_ done: @escaping (DefinitionError?) -> Void) {
    if case .refused = state.phase { return done(nil) }
    guard link.isUp else { return done(away("deleted")) }
    if state.definition == nil, loss == nil {
      // The definition in progress must finish first.
      return whenOpen { [weak self] error in
        guard let self else { return }
        if case .refused = state.phase { return done(nil) }
        if error == nil { return deleteStream(done) }
        // NATS had no room for the subject, so there is nothing to delete.
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
      // The name goes last: otherwise a new definition's stream could be deleted. If NATS has lost
      // the name, too, a deletion is stored for the other servers.
      guard let definition = state.definition ?? (loss == nil ? nil : 0) else { return end(true) }
      shared.definitions.delete(name, at: definition, matching: { _ in false }, end)
    }
  }

  func removeDeleted() {
    guard !isGone, engine.subject(name) === subject else { return }
    inlet.tellOpen()
    let wasKnown = state.definition != nil || loss != nil
    let shared = shared
    engine.delete(name)
    if wasKnown { shared.subjectIsDeleted(name) } else { shared.nameIsFree(name) }
  }

  func leave() {
    state.leave()
    subject.whenReadersChange = nil
    for inlet in inlets { inlet.leave() }
    // Durable subscriptions that are opening must be answered first.
    for durable in allDurables { durable.subjectIsDeleted() }
    for inlet in readerInlets { inlet.subject.delete() }
    outbox.close(.deleted)
    intake.delete()
    notifyWaiting(deleted)
    for part in subject.readable + [intake] { part.backend = nil }
  }

  /// The error for an unanswered request about the subject or `part` of it.
  func away(_ what: String, _ part: String? = nil) -> DefinitionError {
    let state = outbox.lacksStorage ? "NATS has no room to store it" : shared.silence
    return DefinitionError(.away, "\(state); \(part ?? name) may or may not have been \(what)")
  }

  var deleted: DefinitionError {
    DefinitionError(.unknownName, "subject \(name) was deleted")
  }
}
