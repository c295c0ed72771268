internal import FlowTransport
internal import FlowWire

// Writes answers, in the order of their commands.
extension Client {
  /// Answers the present command.
  func answer(_ answer: Answer) {
    session.errorsInARow = 0
    let tag = session.tag
    write { answer.write(tag: tag, into: &$0) }
  }

  /// Writes a row of the present command's answer.
  func row(_ text: String) { write(.row(text), session.tag) }

  /// Answers a PING.
  func pong(_ text: String?) {
    session.errorsInARow = 0
    write(.pong(text), session.tag)
  }

  /// Writes a line for people, if a person may be there.
  func hint(_ text: String) {
    if session.isInteractive { write(.note(text), nil) }
  }

  /// Confirms a signal, which only a person or a tagged command wants.
  func confirm(_ answer: @autoclosure () -> Answer) {
    session.errorsInARow = 0
    guard session.confirms else { return }
    self.answer(answer())
  }

  /// Answers the present command with an error; after HELLO, that of a signal or a value has a tag of
  /// its own.
  func refuse(_ code: ErrorCode, _ text: String, isSignal: Bool = false) {
    session.errorsInARow += 1
    counters.count("ERR", code.rawValue)
    let tag = session.tag ?? (isSignal && !session.isInteractive ? "!" : nil)
    write(.error(code: code.rawValue, text: text), tag)
  }

  private func write(_ line: ServerLine, _ tag: String?) {
    write { line.write(tag: tag, into: &$0) }
  }

  /// Writes a line, or keeps it behind an answer that is held.
  @inline(__always)
  private func write(_ line: (inout [UInt8]) -> Void) {
    if session.answers.isHolding { session.answers.append(line) } else { writeNow(line) }
  }

  /// Writes lines to the connection.
  @inline(__always)
  func writeNow(_ lines: (inout [UInt8]) -> Void) {
    guard ending != .closed else { return }
    if !connection.isBlocked { answerBytes = 0 }
    answerBytes &+= UInt32(clamping: engine.write(to: connection, lines))
  }
}
