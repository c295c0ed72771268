internal import FlowWire

// What a session says to its client, and in which order.

extension Session {
  /// Answers the present command with a line.
  mutating func answer(_ line: AnswerLine) {
    errorsInARow = 0
    answers.write { Self.append(line.bytes, tag, to: &$0) }
  }

  /// Writes a row of the present command's answer.
  mutating func row(_ text: String) { write("* \(FrameWriter.oneLine(text))", tag) }

  /// Writes a line for people, if a person may be there.
  mutating func hint(_ text: String) {
    guard mode == .typed else { return }
    write(text.isEmpty ? "#" : "# \(FrameWriter.oneLine(text))", nil)
  }

  /// Confirms a signal, which only a person or a tagged command wants.
  mutating func confirm(_ line: @autoclosure () -> String) {
    errorsInARow = 0
    if mode == .typed || tag != nil { write(line(), tag) }
  }

  /// A value was in order: errors before it and behind it are not in a row.
  mutating func noteTaken() { errorsInARow = 0 }

  /// Answers the present command with an error.
  mutating func refuse(_ code: String, _ text: String) {
    errorsInARow += 1
    refusals.append(code)
    write("ERR \(code) \(FrameWriter.oneLine(text))", tag)
  }

  /// Answers a signal or a value with an error, which after HELLO is no command's answer.
  mutating func refuseSignal(_ code: String, _ text: String) {
    errorsInARow += 1
    refusals.append(code)
    write("ERR \(code) \(FrameWriter.oneLine(text))", tag ?? (mode == .framed ? "!" : nil))
  }

  /// Confirms a signal that has been answered by what became of its stream, if it has a tag.
  mutating func confirmIfTagged(_ line: @autoclosure () -> String) {
    if tag != nil { confirm(line()) }
  }

  /// Answers a line that could not be read as a command.
  mutating func refuse(_ error: CommandError, _ line: String) {
    isNew = false
    tag = error.tag
    if isSignal(line) {
      refuseSignal(error.error.code.rawValue, error.error.message)
    } else {
      refuse(error.error.code.rawValue, error.error.message)
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
    switch command.first?.uppercased() {
    case "REQ": return true
    case "DONE", "FAIL": return command.dropFirst().first?.first?.isNumber ?? false
    case let word?: return word.hasPrefix("=") || word.hasPrefix(":")
    case nil: return false
    }
  }

  /// Keeps the place of an answer that comes later.
  mutating func holdAnswer() -> HeldAnswer { HeldAnswer(token: answers.hold(), tag: tag) }

  mutating func release(_ held: HeldAnswer, _ line: String) {
    answers.release(held.token) { Self.append(Array(line.utf8), held.tag, to: &$0) }
  }

  /// A command comes, with its tag if it has one.
  mutating func begin(tag: String?) {
    self.tag = tag
    isNew = false
  }

  /// A value or SEND comes without a command line before it: it has no tag.
  mutating func beginUntagged() { begin(tag: nil) }

  private mutating func write(_ line: String, _ tag: String?) {
    answers.write { Self.append(Array(line.utf8), tag, to: &$0) }
  }

  private static func append(_ line: [UInt8], _ tag: String?, to bytes: inout [UInt8]) {
    if let tag {
      bytes.append(UInt8(ascii: "@"))
      bytes += tag.utf8
      bytes.append(UInt8(ascii: " "))
    }
    if bytes.isEmpty { bytes = line } else { bytes += line }
    bytes.append(UInt8(ascii: "\n"))
  }
}

/// The place of an answer that has to wait.
struct HeldAnswer {
  fileprivate let token: Int
  fileprivate let tag: String?
}
