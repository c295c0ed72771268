internal import FlowNATS
internal import FlowServer
internal import FlowSubjects
internal import FlowWire

extension BackendReader {
  /// Parses a consumer's name; those of Flow servers end in an epoch and a generation.
  init(_ row: ConsumerPage.Row) {
    let parts = row.name.split(separator: "-", omittingEmptySubsequences: false)
    let name = parts.dropFirst().dropLast(2)
    let kind: Kind =
      switch parts.first {
      case "s" where parts.count == 3: .subscriptions
      // The definition's sequence follows the name of a run.
      case "r" where name.count > 1:
        .run(JetStream.name(inToken: name.dropLast().joined(separator: "-")))
      case "d" where !name.isEmpty: .durable(name.joined(separator: "-"))
      default: .foreign(FrameWriter.oneLine(row.name))
      }
    self.init(kind, server: row.server.map(FrameWriter.oneLine) ?? "?", behind: row.behind)
  }
}
