import Programs

/// A command of the program: its options, its other words, and what it does.
///
/// Its file also has its `VerbEntry`, which `VerbTable` lists.
protocol ClientCommand: Equatable, Sendable {
  /// Whether it may contact a server.
  var asksServer: Bool { get }

  /// Reads the words, after the options were applied; throws if they cannot be combined.
  mutating func read(_ words: CommandWords) throws(UsageError)

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode
}

extension ClientCommand {
  var asksServer: Bool { true }
}
