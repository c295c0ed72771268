import FlowRemote
import FlowWire

/// Prints the server's names that fit an operand, for shell completion.
///
/// It prints nothing if the server does not answer soon.
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
