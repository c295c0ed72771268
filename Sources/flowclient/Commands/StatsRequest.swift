import FlowRemote
import FlowWire
import Programs

/// Shows the metrics of the server, or of names: `stats [NAME|PATTERN]`.
struct StatsRequest: ClientCommand {
  /// A name or a pattern; nil: the server.
  var name: String?
  var form = Form.text

  enum Form: String, CaseIterable {
    case text, prometheus, json
  }

  static let entry = VerbEntry(
    StatsRequest(),
    usage: "stats [NAME|PATTERN]",
    group: .look,
    summary: "print counters of the server, or of names",
    remark:
      "On a terminal of less than about 100 columns only names and numbers have room; flowclient help "
      + "metrics says what each is. -o prometheus prints the text that Prometheus reads, as /metrics has it.",
    operand: .name,
    forms: Form.allCases.map(\.rawValue),
    examples: [
      "flowclient stats", "flowclient stats orders",
      "flowclient stats 'sensors/*' -o prometheus",
    ]
  )

  mutating func read(_ words: CommandWords) throws(UsageError) {
    guard words.operands.count < 2 else {
      throw UsageError("stats takes at most one NAME or PATTERN", advice: words.example)
    }
    name = words.operands.first
    if let name {
      guard !name.isEmpty, name.utf8.allSatisfy({ 33...126 ~= $0 }) else {
        throw UsageError(
          "NAME is \"\(name)\", expected a name or a pattern",
          advice: "as in: flowclient stats 'sensors/*'"
        )
      }
    }
    form = words.output.flatMap(Form.init(rawValue:)) ?? form
  }

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    let remote = try await session.connect()
    defer { remote.close() }
    let answer = try await remote.answer(to: .stats(name))
    let width = session.surroundings.textWidth ?? 10_000
    let lines =
      switch form {
      case .json: answer.rows.map { RowRecord.json($0, of: .stats) }
      case .text: try await listing(answer, remote).table(width: width)
      case .prometheus: try await listing(answer, remote).prometheus
      }
    session.surroundings.writeOutput(lines.map { "\($0)\n" }.joined())
    session.remarks.detail(answer.text)
    return .done
  }

  private func listing(
    _ answer: RemoteAnswer,
    _ remote: FlowRemote
  ) async throws(ClientError) -> MetricListing {
    let help = try await remote.answer(to: .help(HelpTopic.metrics.rawValue))
    return MetricListing(answer.rows, help: help.rows)
  }
}
