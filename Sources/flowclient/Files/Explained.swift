import FlowLanguage
import FlowWire

/// The stages of a pipeline and their demand, as a server or this program explains them.
struct Explained {
  /// The fields of each stage's row.
  static let fields = ["asks", "holds", "full", "ends"]

  /// The rows of EXPLAIN without the total.
  let stages: [Row]
  /// The most values inside at a time.
  let holds: String
  let rate: String?

  /// Explains without a server; the `unknown` names may stand for anything.
  init(_ explanation: Explanation, unknown: Set<String> = []) {
    stages = explanation.rows.map { row in
      let demand = row.stage.demand
      let isUnknown = row.stage.name == nil && unknown.contains(row.stage.text)
      let origin: RowFields = ["of": row.stage.pipeline]
      let effects = RowFields.quoted([
        "asks": demand.asks, "holds": isUnknown ? "not known" : demand.holds.text,
        "full": demand.full, "ends": demand.ends,
      ])
      return Row(.stage, row.number, text: row.stage.text, fields: origin + effects)
    }
    rate = explanation.rate
    let others = unknown.sorted().joined(separator: " and ")
    if unknown.isEmpty {
      holds = explanation.holds
    } else if explanation.holds == "nothing" {
      holds = "what \(others) may hold, which is not known here"
    } else {
      holds = "\(explanation.holds), and what \(others) may hold, which is not known here"
    }
  }

  /// Parses the rows of EXPLAIN; `nil` if they are malformed.
  init?(answer rows: [String]) {
    let rows = rows.map { Row($0) }
    guard let total = rows.last, let holds = total.fields["holds"] else { return nil }
    self.holds = holds
    rate = total.fields["rate"]
    stages = Array(rows.dropLast())
    let areWhole = stages.allSatisfy { row in Self.fields.allSatisfy { row.fields[$0] != nil } }
    guard areWhole else { return nil }
  }
}
