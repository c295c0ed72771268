internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

extension BackendReader {
  /// Reads it from the name of a consumer; that of a Flow server ends in an epoch and a generation.
  init(_ row: ConsumerPage.Row) {
    let parts = row.name.split(separator: "-", omittingEmptySubsequences: false)
    let name = parts.dropFirst().dropLast(2)
    let kind: Kind =
      switch parts.first {
      case "s" where parts.count == 3: .subscriptions
      // Behind the name of a run stands the place of its definition.
      case "r" where name.count > 1:
        .run(JetStream.name(inToken: name.dropLast().joined(separator: "-")))
      case "d" where !name.isEmpty: .durable(name.joined(separator: "-"))
      default: .foreign(FrameWriter.oneLine(row.name))
      }
    self.init(kind, server: row.server.map(FrameWriter.oneLine) ?? "?", behind: row.behind)
  }
}
