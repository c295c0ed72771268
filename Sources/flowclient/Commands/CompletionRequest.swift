import Programs

/// Shell completion: `completion SHELL`, and `completion names OPERAND` for its scripts.
enum CompletionRequest: ClientCommand {
  case script(Completion)
  /// The server's names that fit an operand.
  case names(VerbEntry.Operand)

  static let entry = VerbEntry(
    CompletionRequest.script(.bash),
    usage: "completion SHELL",
    group: .help,
    summary: "print a completion script for bash, zsh or fish",
    words: Completion.allCases.map(\.rawValue),
    examples: ["flowclient completion bash"]
  )

  var asksServer: Bool {
    if case .names = self { true } else { false }
  }

  mutating func read(_ words: CommandWords) throws(UsageError) {
    let operands = words.operands
    if operands.count == 2, operands[0] == Completion.names,
      let operand = VerbEntry.Operand(rawValue: operands[1])
    {
      self = .names(operand)
      return
    }
    guard operands.count == 1, let shell = Completion(rawValue: operands[0]) else {
      let shells = Completion.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("completion needs a shell: \(shells)")
    }
    self = .script(shell)
  }

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    switch self {
    case .script(let shell):
      let object = JSONLine.texts([("shell", shell.rawValue), ("script", shell.script)])
      session.surroundings.writeOutput(session.isJSON ? "\(object)\n" : shell.script)
      return .done
    case .names(let operand): return await Naming(operand, session).run()
    }
  }
}
