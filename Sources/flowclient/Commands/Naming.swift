import FlowRemote
import FlowWire

/// Prints the names of the server that may stand for an operand, for the completion in a shell.
///
/// Nothing is said of a server that is away or does not answer soon.
struct Naming {
  private static let patience = Duration.milliseconds(700)

  private let operand: VerbEntry.Operand
  private let session: ClientSession

  init(_ operand: VerbEntry.Operand, _ session: ClientSession) {
    self.operand = operand
    self.session = session
  }

  func run() async -> ExitCode {
    _ = await session.run(within: Self.patience) {
      try? await print()
      return .done
    }
    return .done
  }

  private func print() async throws(ClientError) {
    let remote = try await session.connect(reconnects: false) { _ in }
    defer { remote.close() }
    let rows = try await remote.answer(to: .list(nil)).rows
    let named = rows.map { Row($0) }.filter { kinds.contains($0.kind) }
    session.surroundings.writeOutput(named.map { "\($0.name)\n" }.joined())
  }

  /// The kinds of rows of LIST that fit the operand.
  private var kinds: [Row.Kind] {
    switch operand {
    case .subject: [.subject]
    case .source: [.subject, .pipeline]
    case .name: [.subject, .pipeline, .run]
    case .nothing: []
    }
  }
}
