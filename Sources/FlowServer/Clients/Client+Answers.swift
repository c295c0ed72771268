internal import FlowTransport
internal import FlowWire

extension Client {
  func answer(_ answer: Answer) {
    session.errorsInARow = 0
    let tag = session.tag
    write { answer.write(tag: tag, into: &$0) }
  }

  func row(_ text: String) { write(.row(text), session.tag) }

  func pong(_ text: String?) {
    session.errorsInARow = 0
    write(.pong(text), session.tag)
  }

  /// Writes a line for people, if the client is interactive.
  func hint(_ text: String) {
    if session.isInteractive { write(.note(text), nil) }
  }

  /// Confirms a signal, but only to an interactive client or a tagged command.
  func confirm(_ answer: @autoclosure () -> Answer) {
    session.errorsInARow = 0
    guard session.confirms else { return }
    self.answer(answer())
  }

  /// Answers with an error; after HELLO, errors of signals and values have a tag of their own.
  func refuse(_ code: ErrorCode, _ text: String, isSignal: Bool = false) {
    session.errorsInARow += 1
    counters.count("ERR", code.rawValue)
    let tag = session.tag ?? (isSignal && !session.isInteractive ? "!" : nil)
    write(.error(code: code.rawValue, text: text), tag)
  }

  private func write(_ line: ServerLine, _ tag: String?) {
    write { line.write(tag: tag, into: &$0) }
  }

  /// Writes a line, or queues it behind a held answer.
  @inline(__always)
  private func write(_ line: (inout [UInt8]) -> Void) {
    if session.answers.isHolding { session.answers.append(line) } else { writeNow(line) }
  }

  @inline(__always)
  func writeNow(_ lines: (inout [UInt8]) -> Void) {
    guard ending != .closed else { return }
    if !connection.isBlocked { answerBytes = 0 }
    answerBytes &+= UInt32(clamping: engine.write(to: connection, lines))
  }
}
