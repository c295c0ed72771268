import FlowRemote
import Programs

/// Sends protocol lines from standard input, as typed into netcat.
struct ConverseRequest: ClientCommand {
  mutating func read(_ words: CommandWords) {}

  /// Sends all lines of standard input and prints the answers.
  ///
  /// A capable terminal gets line editing.
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
