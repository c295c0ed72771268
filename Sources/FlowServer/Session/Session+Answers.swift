internal import FlowWire

// What a session says to its client, and in which order.

extension Session {
  /// Answers the present command.
  mutating func answer(_ answer: Answer) {
    errorsInARow = 0
    answers.write { answer.write(tag: tag, into: &$0) }
  }

  /// Answers a PING.
  mutating func pong(_ text: String?) {
    errorsInARow = 0
    write(.pong(text), tag)
  }

  /// Writes a row of the present command's answer.
  mutating func row(_ text: String) { write(.row(text), tag) }

  /// Writes a line for people, if a person may be there.
  mutating func hint(_ text: String) {
    if mode == .interactive { write(.note(text), nil) }
  }

  /// Whether signals are confirmed: to a person, or if the command has a tag.
  var confirms: Bool { mode == .interactive || tag != nil }

  /// Confirms a signal, which only a person or a tagged command wants.
  mutating func confirm(_ answer: @autoclosure () -> Answer) {
    errorsInARow = 0
    guard confirms else { return }
    let answer = answer()
    answers.write { answer.write(tag: tag, into: &$0) }
  }

  /// A value was in order: errors before it and behind it are not in a row.
  mutating func valueAccepted() { errorsInARow = 0 }

  /// Answers the present command with an error.
  mutating func refuse(_ code: ErrorCode, _ text: String) {
    errorsInARow += 1
    refusals.append(code)
    write(.error(code: code.rawValue, text: text), tag)
  }

  /// Answers a signal or a value with an error, which after HELLO is no command's answer.
  mutating func refuseSignal(_ code: ErrorCode, _ text: String) {
    errorsInARow += 1
    refusals.append(code)
    write(.error(code: code.rawValue, text: text), tag ?? (mode == .framed ? "!" : nil))
  }

  /// Confirms a signal that has been answered by what became of its stream, if it has a tag.
  mutating func confirmIfTagged(_ answer: @autoclosure () -> Answer) {
    if tag != nil { confirm(answer()) }
  }

  /// Answers a line that could not be read as a command.
  mutating func refuse(_ error: CommandError, _ line: String) {
    isNew = false
    tag = error.tag
    if isSignal(line) {
      refuseSignal(error.error.code, error.error.message)
    } else {
      refuse(error.error.code, error.error.message)
    }
  }

  /// The verb of a line and what follows, as far as there are any, but for what is too long to
  /// matter in each.
  private static func command(_ line: String) -> ArraySlice<String> {
    line.utf8.split(maxSplits: 3) { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      .map { String(decoding: $0.prefix(16), as: UTF8.self) }.drop { $0.hasPrefix("@") }
  }

  /// The verb of a line, as far as there is one.
  static func verb(_ line: String) -> Verb? {
    command(line).first.flatMap { Verb(rawValue: $0.uppercased()) }
  }

  /// Whether a line is one that a framed connection expects no answer to.
  private func isSignal(_ line: String) -> Bool {
    let command = Self.command(line)
    guard let verb = Self.verb(line) else {
      return command.first.map { $0.hasPrefix("=") || $0.hasPrefix(":") } ?? false
    }
    return verb.isSignal(aboutStream: command.dropFirst().first?.first?.isNumber ?? false)
  }

  /// Keeps the place of an answer that comes later.
  mutating func holdAnswer() -> HeldAnswer { HeldAnswer(token: answers.hold(), tag: tag) }

  mutating func release(_ held: HeldAnswer, _ line: ServerLine) {
    answers.release(held.token) { line.write(tag: held.tag, into: &$0) }
  }

  /// A command comes, with its tag if it has one.
  mutating func begin(tag: String?) {
    self.tag = tag
    isNew = false
  }

  /// A value or SEND comes without a command line before it: it has no tag.
  mutating func beginUntagged() { begin(tag: nil) }

  private mutating func write(_ line: ServerLine, _ tag: String?) {
    answers.write { line.write(tag: tag, into: &$0) }
  }
}

/// The place of an answer that has to wait.
struct HeldAnswer {
  fileprivate let token: UInt32
  fileprivate let tag: String?
}
