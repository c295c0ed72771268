internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

extension SharedSubject: SubjectBackend {
  var kind: String { "nats" }

  var place: String { "in NATS" }

  var parts: [ServerSubject] { readerInlets.map(\.subject) }

  func publisherWaits() { scheduleEndOfTurn() }

  func notStored(_ reason: ErrorCode) -> DefinitionError {
    switch reason {
    case .away: loss?.error ?? away("stored")
    case .valueTooLong:
      DefinitionError(
        .valueTooLong,
        "the value is too long for NATS; the limit is \(longestValue) bytes"
      )
    case .completed: DefinitionError(.completed, "subject \(name) has completed")
    default:
      // The value was in flight, and may already be stored and read.
      DefinitionError(
        .away,
        "subject \(name) was deleted; the value may or may not have been stored"
      )
    }
  }

  func noRoom(for nanoseconds: Int64) -> DefinitionError {
    let time = nanoseconds / 1_000_000
    if let loss { return loss.error }
    if stream == nil {
      let reason = shared.reason.map { ": \($0)" } ?? ""
      return DefinitionError(
        .away,
        "NATS was away for \(time) ms\(reason); the value was not sent"
      )
    }
    return DefinitionError(.noDemand, "\(name) had no room for \(time) ms; the value was not sent")
  }

  func whenReady(_ done: @escaping (DefinitionError?) -> Void) { whenOpen(done) }

  func unanswered(_ done: String, _ part: String) -> DefinitionError { away(done, part) }

  func subjectIsRemoved() { if shared[name] === self { shared.remove(name) } }

  var isReading: Bool { inlet.isOpen }

  func whenReading(_ done: @escaping () -> Void) { inlet.whenOpen(done) }

  var isBeingLeft: Bool { inlet.isBeingLeft }

  func whenLeft(_ done: @escaping () -> Void) { inlet.whenLeft(done) }

  func open(durable name: String) throws(DefinitionError) -> any DurableSubscription {
    if let unreadable { throw unreadable }
    if let other = durables[name] {
      guard other.hasEnded else { throw other.inUse }
      other.leave()
    }
    return DurableReader(name, of: self)
  }

  func delete(
    durable name: String,
    _ done: @escaping (DefinitionError?) -> Void
  ) -> (patience: Int64, stop: () -> Void) {
    let deletion = DurableDeletion(name, of: self)
    if let error = unreadable ?? durables[name]?.inUse {
      done(error)
    } else {
      deletion.start(done)
    }
    return (DurableDeletion.patience, { deletion.stop() })
  }

  /// Why nothing can be read; a stream that has lost only its end can be.
  private var unreadable: DefinitionError? {
    loss.flatMap { $0.isWhole ? $0.error : nil }
  }

  var knowsReaders: Bool { stream != nil }

  func findReaders(_ done: @escaping ([BackendReader]?) -> Void) {
    room.checkReaders { [self] rows in
      let readers = rows?.map { row in
        var reader = BackendReader(row)
        // The end message is not a value.
        reader.behind = max(0, reader.behind - ends)
        return reader
      }
      done(readers)
    }
  }

  var figures: BackendFigures {
    var figures = BackendFigures()
    figures.state = natsState
    figures.isUp = link.isUp
    figures.isLost = loss != nil
    if isLossless {
      figures.room = room.size
      figures.used = room.isLookedAfter ? room.used : nil
      figures.stored = room.used
      figures.isFull = room.leftNow == 0
    }
    figures.slowest = room.slowest
    figures.unstored = outbox.count
    figures.readBefore = readBefore
    figures.leftOut = inlet.leftOut
    figures.gaps = inlet.gaps
    return figures
  }

  var trouble: (text: String, hint: String)? {
    if !link.isUp {
      return (
        "NATS is away: what is sent to \(name) waits here.",
        "Nothing that was answered OK is lost; it goes on when NATS is back."
      )
    }
    if let loss {
      return (
        "\(loss.text).",
        "DELETE \(name) and define it again; what is left can be read by durable=NAME first."
      )
    }
    guard outbox.lacksStorage else { return nil }
    return (
      "NATS is full: what is sent to \(name) waits here.",
      "It goes on when NATS has more disk or memory, or something else in it was read."
    )
  }
}
