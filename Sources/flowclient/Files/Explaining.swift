import FlowFiles
import FlowLanguage

/// Tells what each stage does with demand, as a table: `explain EXPR|FILE`.
struct Explaining {
  private let request: ExplainRequest
  private let session: ClientSession

  init(_ request: ExplainRequest, _ session: ClientSession) {
    self.request = request
    self.session = session
  }

  func run() throws(ClientError) -> ExitCode {
    switch request {
    case .file(let path):
      let definitions = try TextFile.definitions(path, session.surroundings)
      for definition in definitions.all {
        guard let explanation = definition.explanation else { continue }
        let title = "\(definition.kind.uppercased()) \(definition.name)"
        let lines =
          isJSON ? objects(explanation, of: definition.name) : [title] + table(explanation) + [""]
        write(lines)
      }
    case .expression(let text):
      let explanation = try FreeExpression(checking: text).explanation
      write(isJSON ? objects(explanation) : table(explanation))
    }
    return .done
  }

  private var isJSON: Bool { session.isJSON }

  private func write(_ lines: [String]) {
    session.surroundings.writeOutput(lines.map { "\($0)\n" }.joined())
  }

  /// On a terminal it fits its width.
  private func table(_ explanation: Explanation) -> [String] {
    let table = TextTable(
      columns: [
        .init(title: "#"), .init(title: "stage", least: 22),
        .init(title: "asks upstream for", least: 9), .init(title: "may hold", least: 7),
        .init(title: "when full", least: 9), .init(title: "on completion", least: 9),
      ],
      rows: explanation.rows.map(cells)
    )
    let width = session.surroundings.textWidth
    let room = width.map { $0 - 1 } ?? .max
    let isNarrow = room < Self.leastForTable && !table.fits(width: room)
    let lines = isNarrow ? table.blocks(width: room) : table.foldedLines(width: room)
    let rate = explanation.rate.map { "; sustained rate: \($0)" } ?? ""
    let inside = " inside: \(explanation.holds)\(rate)"
    return lines.map { " \($0)" }
      + (width.map { DisplayText.fold(inside, to: $0, indent: 1) } ?? [inside])
  }

  /// Below so many columns cells would be folded to words.
  private static let leastForTable = 100

  private func cells(_ row: Explanation.Row) -> [String] {
    let isInner = row.number.contains(".")
    let demand = row.stage.demand
    let text = row.stage.text.split { $0.isWhitespace }.joined(separator: " ")
    let short = text.count > 44 ? "\(text.prefix(43))…" : text
    let origin = row.stage.pipeline.map { " (\($0))" } ?? ""
    return [
      row.number, (isInner ? "⤷ " : "") + short + origin, demand.asks, demand.holds.text,
      demand.full, demand.ends,
    ]
  }

  /// An object for each stage; those of a file begin with the name of what they belong to.
  private func objects(_ explanation: Explanation, of name: String? = nil) -> [String] {
    explanation.rows.map { object($0, of: name) }
  }

  private func object(_ row: Explanation.Row, of name: String?) -> String {
    let demand = row.stage.demand
    let pairs =
      (name.map { [("name", $0)] } ?? []) + [
        ("number", row.number), ("stage", row.stage.text), ("asks", demand.asks),
        ("holds", demand.holds.text), ("full", demand.full), ("ends", demand.ends),
      ]
    let members = pairs.map { "\"\($0)\":\(JSONText.string($1))" }.joined(separator: ",")
    return "{\(members)}"
  }
}
