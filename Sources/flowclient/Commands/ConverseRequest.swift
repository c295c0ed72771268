import FlowRemote
import Programs

/// Lines of the protocol from standard input, as they would be typed into netcat.
struct ConverseRequest: ClientCommand {
  mutating func read(_ words: CommandWords) {}

  /// Sends the lines of standard input, to their end, and prints the answers.
  ///
  /// At a terminal that can do that, they are edited and told from what comes.
  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    if Repl.isPossible(session) { return try await Repl(session).run() }
    let transcript = Transcript(session, isWhole: session.surroundings.outputIsTerminal)
    let conversation = try await session.converse { transcript.receive($0) }
    session.surroundings.endWhenOutputBreaks()
    if session.surroundings.inputIsTerminal {
      session.remarks.note("connected to \(session.server); type HELP for help, control-D to exit")
    }
    transcript.readInput { lines, taken in conversation.send(lines, taken: taken) }
    return try transcript.wait()
  }
}
