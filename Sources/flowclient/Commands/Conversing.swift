import FlowRemote
import FlowWire
import Programs

/// One line of the protocol, as it would be typed.
struct LineRequest: ClientCommand {
  var line = ""

  mutating func read(_ words: CommandWords) throws(UsageError) {
    line = ([words.verb.uppercased()] + words.operands).joined(separator: " ")
    try CommandWords.checkIsOneLine(line, "a command")
    if VerbTable.entry(words.verb)?.operands == "NAME", let name = words.operands.first {
      _ = try CommandWords.name(name)
    }
  }

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    try await Conversing(session).run(line: line)
  }
}

extension LineRequest {
  init(_ words: CommandWords) throws(UsageError) { try read(words) }
}

/// Lines of the protocol from standard input.
struct ConverseRequest: ClientCommand {
  mutating func read(_ words: CommandWords) {}

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    try await Conversing(session).run()
  }
}

/// Lines of the protocol as they would be typed into netcat: one given, or those of standard input.
struct Conversing {
  private let session: ClientSession

  init(_ session: ClientSession) { self.session = session }

  /// Says one line, prints what comes back and leaves.
  func run(line: String) async throws(ClientError) -> ExitCode {
    let verb = Verb(rawValue: line.prefix { $0 != " " }.uppercased())
    let transcript = Transcript(session, isWhole: false, verb: verb)
    let conversation = try await session.converse { transcript.receive($0) }
    conversation.send(Array("\(line)\n".utf8) + Command.quit(now: false).bytes) {}
    return try transcript.wait()
  }

  /// Says the lines of standard input, to their end, and prints what comes back.
  ///
  /// At a terminal that can do that, they are edited and told from what comes.
  func run() async throws(ClientError) -> ExitCode {
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
