import FlowRemote
import FlowWire
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
    case .names(let operand):
      // Prints nothing if the server does not answer soon.
      _ = await session.run(within: .milliseconds(700)) {
        try? await Self.printNames(operand, session)
        return .done
      }
      return .done
    }
  }

  private static func printNames(
    _ operand: VerbEntry.Operand,
    _ session: ClientSession
  ) async throws(ClientError) {
    let remote = try await session.connect(reconnects: false) { _ in }
    defer { remote.close() }
    let rows = try await remote.answer(to: .list(nil)).rows
    let named = rows.map { Row($0) }.filter { operand.kinds.contains($0.kind) }
    session.surroundings.writeOutput(named.map { "\($0.name)\n" }.joined())
  }
}

extension VerbEntry.Operand {
  /// The kinds of rows of LIST that fit the operand.
  fileprivate var kinds: [Row.Kind] {
    switch self {
    case .subject: [.subject]
    case .source: [.subject, .pipeline]
    case .name: [.subject, .pipeline, .run]
    case .nothing: []
    }
  }
}
