internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// An answer that waits for NATS.
final class PendingAnswer {
  fileprivate let place: HeldAnswer
  /// What is said if nothing is heard any more.
  fileprivate let lost: () -> ServerLine
  /// What is held for it meanwhile, in bytes.
  fileprivate let bytes: Int
  /// Whether the connection is not read until this answer is given.
  fileprivate var holdsInput = false

  fileprivate init(_ place: HeldAnswer, bytes: Int, lost: @escaping () -> ServerLine) {
    self.place = place
    self.bytes = bytes
    self.lost = lost
  }

  /// What is said of a publication that has ended, if not all of its values are known to be stored.
  static func lost(of publication: Publication) -> ServerLine {
    let text = "NATS has not answered; values of \(publication.subject.name) may not be stored"
    return .error(code: ErrorCode.away.rawValue, text: text)
  }
}

// What is answered when NATS has answered.
extension Client {
  /// Keeps the place of an answer; `lost` is what is said if the connection ends before.
  func hold(bytes: Int = 128, lost: @escaping () -> ServerLine) -> PendingAnswer {
    keep(session.holdAnswer(), bytes: bytes, lost: lost)
  }

  /// Keeps the place of an answer; `error`, as it is then, is said if the connection ends before.
  func hold(
    orSay error: @autoclosure @escaping () -> DefinitionError,
    bytes: Int = 128
  ) -> PendingAnswer {
    hold(bytes: bytes) {
      let error = error()
      return .error(code: error.code.rawValue, text: error.message)
    }
  }

  /// Goes on to keep the place of an answer.
  func keep(
    _ place: HeldAnswer,
    bytes: Int = 128,
    lost: @escaping () -> ServerLine
  ) -> PendingAnswer {
    let pending = PendingAnswer(place, bytes: bytes, lost: lost)
    charged.add(bytes)
    extras.pendingAnswers.append(pending)
    return pending
  }

  /// Reads no more until the answer is given.
  func wait(for pending: PendingAnswer) {
    pending.holdsInput = true
    wait(.deletion)
  }

  /// Gives an answer, unless it has been given.
  func answer(_ pending: PendingAnswer, _ line: @autoclosure () -> ServerLine) {
    guard ending != .closed, let anyExtras,
      let index = anyExtras.pendingAnswers.firstIndex(where: { $0 === pending })
    else { return }
    anyExtras.pendingAnswers.remove(at: index)
    charged.remove(pending.bytes)
    let line = line()
    if case .error(let code, _) = line { engine.counters.count("ERR", code) }
    session.release(pending.place, line)
    writeAnswers()
    if !hasManySends { go(.credit) }
    if pending.holdsInput { go(.deletion) }
    resumeAnswering()
    if session.answers.held <= engine.configuration.answerLimit { go(.answers) }
    streamEnded()
  }

  /// Answers all that waits for NATS, before the connection is closed.
  func answerPending() {
    for pending in anyExtras?.pendingAnswers ?? [] { answer(pending, pending.lost()) }
  }

  /// Answers with `line`, or with an error.
  func answer(_ pending: PendingAnswer, _ error: DefinitionError?, _ line: Answer) {
    answer(pending, error.map { .error(code: $0.code.rawValue, text: $0.message) } ?? .ok(line))
  }

  /// Answers with `away` if nothing is heard in time, and undoes what was begun.
  func limit(
    _ pending: PendingAnswer,
    to nanoseconds: Int64 = patience,
    _ undo: @escaping () -> Void = {}
  ) {
    after(nanoseconds) { client in
      guard client.anyExtras?.pendingAnswers.contains(where: { $0 === pending }) == true else {
        return
      }
      client.answer(pending, pending.lost())
      undo()
    }
  }

  /// How long NATS may take to answer, in nanoseconds.
  static var patience: Int64 { 5_000_000_000 }

  // MARK: Values

  /// The subject of NATS that values sent to `entrance` go to, if they do.
  func shared(_ entrance: ServerSubject) -> SharedSubject? {
    entrance.isEntrance ? engine.shared?[entrance.name] : nil
  }

  /// Sends a value that is answered when it is stored.
  func send(_ bytes: UnsafeRawBufferPointer, to shared: SharedSubject) {
    if let loss = shared.loss { return session.refuse(loss.error.code, loss.error.message) }
    let pending = hold(orSay: shared.notStored, bytes: 128 + bytes.count)
    let sender = SentValue(pending, of: self, shared)
    let entrance = shared.entrance
    if entrance.hasCredit {
      unsafe entrance.publish(bytes)
      entrance.keeper?.sent(1, by: sender)
      limit(pending)
    } else {
      let send = unsafe WaitingSend(value: Array(bytes)) { [weak self] _, result in
        switch result {
        case .sent:
          entrance.keeper?.sent(1, by: sender)
          self?.limit(pending)
        case .refused(let code, let text):
          self?.answer(pending, .error(code: code.rawValue, text: text))
        }
      }
      entrance.wait(send)
      limit(send, at: shared, pending)
    }
    if hasManySends { wait(.credit) }
  }

  /// Gives up a value that has found no room in time.
  private func limit(_ send: WaitingSend, at shared: SharedSubject, _ pending: PendingAnswer) {
    let limit = engine.configuration.sendWait
    after(limit) { client in
      guard !send.isOver else { return }
      shared.entrance.forget(send)
      let time = limit / 1_000_000
      if let loss = shared.loss {
        send.end(.refused(.away, loss.error.message))
      } else if shared.stream == nil {
        let reason = shared.shared.reason.map { ": \($0)" } ?? ""
        let text = "NATS was away for \(time) ms\(reason); the value was not sent"
        send.end(.refused(.away, text))
      } else {
        let text = "\(shared.name) had no room for \(time) ms; the value was not sent"
        send.end(.refused(.noDemand, text))
      }
    }
  }
}

/// A value of a SEND, on its way to NATS.
private final class SentValue: ValueSender {
  private let pending: PendingAnswer
  private weak var client: Client?
  private let shared: SharedSubject

  init(_ pending: PendingAnswer, of client: Client, _ shared: SharedSubject) {
    self.pending = pending
    self.client = client
    self.shared = shared
  }

  func kept(_ count: Int, at sequence: UInt64?) {
    client?.answer(pending, .ok(.stored(name: shared.name, sequence: sequence)))
  }

  func notKept(_ count: Int, _ reason: ErrorCode) {
    // It was under way, and may have been stored and read before.
    let code = reason == .deleted ? ErrorCode.away : reason
    client?.answer(pending, .error(code: code.rawValue, text: text(reason)))
  }

  private func text(_ reason: ErrorCode) -> String {
    switch reason {
    case .away: shared.notStored.message
    case .valueTooLong:
      "the value is too long for NATS; the limit is \(shared.longestValue) bytes"
    case .completed: "subject \(shared.name) has completed"
    default: "subject \(shared.name) was deleted; the value may or may not have been stored"
    }
  }
}
