import FlowWire
import Programs

/// The help on commands: `help [WORD]`, and `--help`.
enum HelpRequest: ClientCommand {
  /// The page of a command or a `ClientTopic`; nil: the one of all commands.
  case page(String?)
  /// Another word, which the server may know.
  case word(LineRequest)

  static let entry = VerbEntry(
    HelpRequest.page(nil),
    usage: "help [WORD]",
    group: .help,
    summary: "print help on a command, a topic, or a word of the server",
    remark: "Topics: \(topics). Words of the server are also the names of operators and "
      + "functions, and the commands of the protocol; echo HELP | flowclient lists them.",
    examples: [
      "flowclient help", "flowclient help sub", "flowclient help exit-codes",
      "flowclient help backpressure", "flowclient help flatMap",
    ]
  )

  /// The topics of this program, and those that a server tells of.
  private static let topics =
    (ClientTopic.allCases.map(\.rawValue) + HelpTopic.allCases.map(\.rawValue))
    .joined(separator: ", ")

  var asksServer: Bool {
    if case .word = self { true } else { false }
  }

  mutating func read(_ words: CommandWords) throws(UsageError) {
    guard let word = words.operands.first else { return }
    let name = VerbTable.entry(word)?.name ?? ClientTopic(rawValue: word.lowercased())?.rawValue
    if words.operands.count == 1, let name {
      self = .page(name)
    } else {
      self = .word(try LineRequest(words))
    }
  }

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    switch self {
    case .page(let name):
      session.surroundings.writeOutput(HelpText.page(name, asJSON: session.isJSON))
      return .done
    case .word(let line): return try await line.run(in: session)
    }
  }
}
