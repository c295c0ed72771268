import FlowRemote
import FlowWire
import Programs

/// A line of the protocol, as it would be typed into netcat.
struct LineRequest: ClientCommand {
  var line = ""

  mutating func read(_ words: CommandWords) throws(UsageError) {
    let verb = words.verb.uppercased()
    let endsInExpression = ["PIPELINE", "RUN", "EXPLAIN"].contains(verb)
    let operands = endsInExpression ? [CommandWords.joinLines(words.text)] : words.operands
    line = ([verb] + operands).joined(separator: " ")
    try CommandWords.checkIsOneLine(line, "a command")
    if VerbTable.entry(words.verb)?.operands == "NAME", let name = words.operands.first {
      _ = try CommandWords.name(name)
    }
  }

  /// Sends the line, prints the answers and leaves.
  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    let transcript = Transcript(session, isWhole: false, request: line)
    let conversation = try await session.converse { transcript.receive($0) }
    conversation.send(Array("\(line)\n".utf8) + Command.quit(now: false).bytes) {}
    return try transcript.wait()
  }
}

extension LineRequest {
  init(_ words: CommandWords) throws(UsageError) { try read(words) }
}
