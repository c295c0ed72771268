internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

extension Client {
  func publish(
    _ name: String,
    _ id: StreamID?,
    grant: Int?,
    over: OverflowRule?,
    owner: Bool
  ) throws(DefinitionError) {
    let id = try newID(id)
    let subject = try engine.subjectToPublish(name, for: session.access)
    let limits = engine.configuration.demand
    let publication = Publication(
      id: id,
      subject: subject,
      owner: self,
      limit: min(grant ?? limits.grant, limits.grantLimit),
      over: over ?? (session.isInteractive ? .hold : .cancel),
      ownsSubject: owner
    )
    open.open(id, .publication(publication))
    engine.counters.streams += 1
    engine.notify(.opened(client: self.id, id: id, kind: "publication", name: name))
    subject.add(publication)
    let demand = publication.firstGrant()
    answer(.open(.publish, StreamID(rawValue: id), name: name, demand: demand))
  }

  /// Takes a value; returns false if the connection must wait for room.
  func receive(_ id: UInt64, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let publication = publication(id) else {
      refuseValue(id)
      afterCommand()
      return true
    }
    let outcome = unsafe publication.publish(bytes)
    if case .full = outcome { return false }
    session.errorsInARow = 0
    if session.isInteractive { confirmValue(id, outcome, publication) }
    return true
  }

  /// Takes values of publication `id` from the input while they go out at once; false if none did.
  func receiveBatches(
    _ id: UInt64,
    like frame: (start: Int, payload: Int),
    _ buffer: UnsafeRawBufferPointer,
    _ offset: inout Int,
    _ turn: inout InputTurn
  ) -> Bool {
    guard !session.isInteractive, let publication = publication(id) else { return false }
    let batch = engine.batch
    var place = frame.start
    while place < buffer.count, case let room = publication.roomForBatch(), room > 0 {
      unsafe decoder.next(like: frame, in: buffer, &place, into: batch, limit: room)
      guard batch.count > 0 else { break }
      let taken = publication.publish(batch, 0..<batch.count)
      counters.valueFrames &+= taken
      turn.count(taken)
      if taken < batch.count {
        place = unsafe batch.offset(of: taken, in: buffer) - (frame.payload - frame.start)
      }
      guard turn.hasTimeLeft else { break }
    }
    guard place > frame.start else { return false }
    session.errorsInARow = 0
    offset = place
    return true
  }

  private func publication(_ id: UInt64) -> Publication? {
    if let last = recent.publication, last.id == id, last.isOpen { return last }
    recent.publication = open.publication(id)
    return recent.publication
  }

  /// Reports a value for a stream that takes none.
  private func refuseValue(_ id: UInt64) {
    // Not on the first line, which a web browser may have been made to send.
    session.tag = nil
    guard session.access.isGranted else { return refuse(.denied, Access.first, isSignal: true) }
    switch open[id] {
    case .service:
      let form = "answer a call with = \(id).1 TEXT"
      refuse(.usage, "stream \(id) is a worker; \(form)", isSignal: true)
    case .subscription, .publication:
      refuse(.usage, "stream \(id) is a subscription; open a publication with PUB", isSignal: true)
    case nil where open.hasEnded(id): confirm(.value(StreamID(rawValue: id), .ended))
    case nil:
      let error = open.unknown(id)
      refuse(error.code, error.message, isSignal: true)
    }
  }

  func confirmValue(
    _ id: UInt64,
    _ outcome: Publication.Outcome,
    _ publication: Publication
  ) {
    session.beginUntagged()
    let demand = publication.demand
    let reception: Answer.Reception? =
      switch outcome {
      case .sent(let to, let missed): .sent(to: to, missed: missed, demand: demand)
      case .held: .held(publication.held, demand: demand)
      case .dropped: .dropped(demand: demand)
      case .cancelled: .ended
      case .full: nil
      }
    if let reception { confirm(.value(StreamID(rawValue: id), reception)) }
    afterCommand()
  }

  /// Runs a SEND without a tag, straight from the decoder.
  func send(_ name: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) {
    defer { afterCommand() }
    if let last = recent.subject, !last.takesNoMore,
      unsafe recent.subjectName.withUnsafeBytes({ unsafe $0.elementsEqual(name) })
    {
      return unsafe send(bytes, to: last)
    }
    do throws(DefinitionError) {
      let name = unsafe String(decoding: name, as: UTF8.self)
      try authorize(.send(name: name, value: []))
      let subject = try subjectToSend(name)
      unsafe send(bytes, to: subject)
    } catch {
      refuse(error.code, error.message)
    }
  }

  /// Runs a SEND that has been authorized.
  func send(_ value: [UInt8], to name: String) throws(DefinitionError) {
    let subject = try subjectToSend(name)
    unsafe value.withUnsafeBytes { unsafe send($0, to: subject) }
  }

  private func send(_ bytes: UnsafeRawBufferPointer, to subject: ServerSubject) {
    if let backend = subject.backend {
      unsafe send(bytes, to: backend)
    } else if subject.hasCredit {
      let result = unsafe subject.publish(bytes)
      answer(.send(name: subject.name, to: result.to, missed: result.missed))
    } else {
      unsafe sendLater(Array(bytes), to: subject)
    }
  }

  /// Returns the subject of an authorized SEND, cached for the next one.
  private func subjectToSend(_ name: String) throws(DefinitionError) -> ServerSubject {
    if let last = recent.subject, !last.takesNoMore, name.utf8.elementsEqual(recent.subjectName) {
      return last
    }
    let subject = try engine.subjectToPublish(name, for: session.access)
    recent.subject = subject
    recent.subjectName = Array(name.utf8)
    return subject
  }

  private func sendLater(_ value: [UInt8], to subject: ServerSubject) {
    let held = hold(bytes: 128 + value.count + (session.tag?.utf8.count ?? 0)) { code in
      let text = "\(subject.name) had no room before the connection ended; the value was not sent"
      return .error(code: code.rawValue, text: text)
    }
    let send = WaitingSend(value: value) { [weak self] _, result in
      switch result {
      case .sent(let to, let missed):
        self?.answer(held, .ok(.send(name: subject.name, to: to, missed: missed)))
      case .refused(let code, let text):
        self?.answer(held, .error(code: code.rawValue, text: text))
      }
    }
    held.send = (send, subject)
    subject.wait(send)
    if hasManySends { wait(.credit) }
    let limit = engine.configuration.timeouts.sendWait
    after(limit) { [weak send] _ in
      guard let send, !send.isOver else { return }
      subject.forget(send)
      let text = "\(subject.name) had no room for \(limit / 1_000_000) ms; the value was not sent"
      send.end(.refused(.noDemand, text))
    }
  }

  /// Whether too many SENDs wait to take another.
  var hasManySends: Bool {
    extras.heldAnswers.count >= engine.configuration.demand.grant || charged.bytes >= charged.limit
  }

  /// Open publications, and ended ones that still hold values.
  var publications: [Publication] { open.publications + (anyExtras?.endedPublications ?? []) }

  /// Ends a publication; its id becomes free, and held values still go out.
  func end(_ publication: Publication, _ completion: ServerSubject.Completion) {
    publication.end(completion)
    guard publication.isOpen else { return }
    extras.endedPublications.append(publication)
    free(publication)
  }

  private func free(_ publication: Publication) {
    open.close(publication.id)
    if recent.publication === publication { recent.publication = nil }
  }

  func sendCancel(_ publication: Publication, _ reason: ErrorCode) {
    let id = StreamID(rawValue: publication.id)
    signal(.cancel(id, reason: reason.rawValue))
  }
}

extension Client: PublicationOwner {
  func publication(_ publication: Publication, isGranted count: Int) {
    let id = StreamID(rawValue: publication.id)
    signal(.request(id, .max(UInt64(count))))
  }

  func publication(_ publication: Publication, dropped count: Int) {
    let id = StreamID(rawValue: publication.id)
    let reason = DropReason.noDemand.rawValue
    signal(.drop(id, count: UInt64(count), reason: reason))
  }

  func publication(_ publication: Publication, isCancelledFor reason: ErrorCode) {
    // The client is told nothing about publications that it ended.
    if open.publication(publication.id) === publication { sendCancel(publication, reason) }
  }

  func publicationHasCredit(_ publication: Publication) { endWait(.credit) }

  func forget(_ publication: Publication) {
    engine.notify(
      .ended(
        client: id,
        id: publication.id,
        name: publication.subject.name,
        reason: publication.reason
      )
    )
    if open.publication(publication.id) === publication {
      free(publication)
    } else {
      anyExtras?.endedPublications.removeAll { $0 === publication }
    }
    if waits.contains(.credit) { endWait(.credit) }
    streamEnded()
  }
}
