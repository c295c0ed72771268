import FlowRemote
import FlowTransport
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
    let outcome = Outcome(on: session.platform)
    let asking = Task(executorPreference: session.surroundings.executor) {
      try? await print(unless: outcome)
      outcome.settle(.success(.done))
    }
    let deadline = session.platform.moment(after: Self.patience)
    await withCheckedContinuation { continuation in
      session.platform.run(after: 0) {
        _ = outcome.wait(until: deadline)
        continuation.resume()
      }
    }
    asking.cancel()
    return .done
  }

  private func print(unless outcome: Outcome) async throws(ClientError) {
    let remote = try await session.connect(reconnects: false) { _ in }
    defer { remote.close() }
    guard let rows = try? await remote.command(.list(nil)).rows else { return }
    let named = rows.map { Row($0) }.filter { kinds.contains($0.kind) }
    session.surroundings.writeOutput(named.map { "\($0.name)\n" }.joined())
  }

  /// What LIST calls them.
  private var kinds: [Row.Kind] {
    switch operand {
    case .subject: [.subject]
    case .source: [.subject, .pipeline]
    case .name: [.subject, .pipeline, .run]
    case .nothing: []
    }
  }
}
