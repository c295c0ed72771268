internal import FlowSubjects
internal import FlowWire

/// An answer that comes later; answers of later commands wait behind it.
final class HeldAnswer {
  fileprivate let token: UInt32
  fileprivate let tag: String?
  /// The bytes charged to the client for it.
  fileprivate let bytes: Int
  /// Makes the answer if none comes; the code says why a SEND found no room.
  fileprivate let fallback: (ErrorCode) -> ServerLine
  /// The value that waits for room, if this is the answer to a SEND.
  var send: (value: WaitingSend, subject: ServerSubject)?
  /// Whether the connection is not read until the answer comes.
  fileprivate var holdsInput = false

  fileprivate init(
    _ token: UInt32,
    tag: String?,
    bytes: Int,
    _ fallback: @escaping (ErrorCode) -> ServerLine
  ) {
    self.token = token
    self.tag = tag
    self.bytes = bytes
    self.fallback = fallback
  }

  /// Removes the waiting value from its subject, because no client waits for its answer.
  func forgetSend() {
    if let send { send.subject.forget(send.value) }
    send = nil
  }
}

extension Client {
  /// Reserves the place of the answer; `fallback` makes it if the connection ends first.
  func hold(bytes: Int = 128, _ fallback: @escaping (ErrorCode) -> ServerLine) -> HeldAnswer {
    let held = HeldAnswer(session.answers.hold(), tag: session.tag, bytes: bytes, fallback)
    charged.add(bytes)
    extras.heldAnswers.append(held)
    return held
  }

  /// Reserves the place of the answer, which is `error` if the connection ends first.
  func hold(
    orSay error: @autoclosure @escaping () -> DefinitionError,
    bytes: Int = 128
  ) -> HeldAnswer {
    hold(bytes: bytes) { _ in
      let error = error()
      return .error(code: error.code.rawValue, text: error.message)
    }
  }

  /// Stops reading until the answer comes.
  func wait(for held: HeldAnswer) {
    held.holdsInput = true
    wait(.deletion)
  }

  /// Writes the answer, unless it was written before.
  func answer(_ held: HeldAnswer, _ line: @autoclosure () -> ServerLine) {
    guard ending != .closed, let anyExtras,
      let index = anyExtras.heldAnswers.firstIndex(where: { $0 === held })
    else { return }
    anyExtras.heldAnswers.remove(at: index)
    held.send = nil
    charged.remove(held.bytes)
    let line = line()
    if case .error(let code, _) = line { engine.counters.count("ERR", code) }
    let ready = session.answers.release(held.token) { line.write(tag: held.tag, into: &$0) }
    if !ready.isEmpty { writeNow { $0 += ready } }
    if !hasManySends { endWait(.credit) }
    if held.holdsInput { endWait(.deletion) }
    resumeAnswering()
    if session.answers.held <= engine.configuration.connections.answerLimit { endWait(.answers) }
    streamEnded()
  }

  func answer(_ held: HeldAnswer, _ error: DefinitionError?, _ line: Answer) {
    answer(held, error.map { .error(code: $0.code.rawValue, text: $0.message) } ?? .ok(line))
  }

  /// Writes all held answers before the connection closes; waiting SENDs fail with `code`.
  func answerHeld(_ code: ErrorCode) {
    for held in anyExtras?.heldAnswers ?? [] {
      held.forgetSend()
      answer(held, held.fallback(code))
    }
  }

  /// Writes the fallback if no answer comes in time, and calls `undo`.
  func limit(
    _ held: HeldAnswer,
    to nanoseconds: Int64 = patience,
    _ undo: @escaping () -> Void = {}
  ) {
    after(nanoseconds) { client in
      guard client.anyExtras?.heldAnswers.contains(where: { $0 === held }) == true else { return }
      client.answer(held, held.fallback(.away))
      undo()
    }
  }

  static var patience: Int64 { 5_000_000_000 }
}
