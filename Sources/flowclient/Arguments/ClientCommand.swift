import Programs

/// A command of the program: what its words ask for, and how that is done.
///
/// Its file has its `VerbEntry`, too, which is listed in `VerbTable`.
protocol ClientCommand: Equatable, Sendable {
  /// Whether it may ask a server.
  var asksServer: Bool { get }

  /// Reads the words, after the options have been applied, and refuses what cannot be combined.
  mutating func read(_ words: CommandWords) throws(UsageError)

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode
}

extension ClientCommand {
  var asksServer: Bool { true }
}
