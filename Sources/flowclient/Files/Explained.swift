import FlowLanguage
import FlowWire

/// The stages of a pipeline and their demand, as a server or this program tells them.
struct Explained: Equatable {
  struct Stage: Equatable {
    let number: String
    let text: String
    /// The pipeline that it was inlined from.
    var pipeline: String?
    let asks: String
    let holds: String
    let full: String
    let ends: String
  }

  var stages: [Stage]
  /// The most values inside at one time.
  var holds: String
  var rate: String?

  /// Explains without a server; the names in `unknown` may stand for anything.
  init(_ explanation: Explanation, unknown: Set<String> = []) {
    stages = explanation.rows.map { row in
      let demand = row.stage.demand
      let isUnknown = row.stage.name == nil && unknown.contains(row.stage.text)
      return Stage(
        number: row.number,
        text: row.stage.text,
        pipeline: row.stage.pipeline,
        asks: demand.asks,
        holds: isUnknown ? "not known" : demand.holds.text,
        full: demand.full,
        ends: demand.ends
      )
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

  /// Reads the rows that a server answers to EXPLAIN; `nil` if they are none.
  init?(answer rows: [String]) {
    let rows = rows.map { Row($0) }
    guard let total = rows.last, let holds = total.fields["holds"] else { return nil }
    self.holds = holds
    rate = total.fields["rate"]
    stages = rows.dropLast().compactMap { Stage($0) }
    guard stages.count == rows.count - 1 else { return nil }
  }
}

extension Explained.Stage {
  fileprivate init?(_ row: Row) {
    guard let asks = row.fields["asks"], let holds = row.fields["holds"],
      let full = row.fields["full"], let ends = row.fields["ends"]
    else { return nil }
    self.init(
      number: row.name,
      text: row.text,
      pipeline: row.fields["of"],
      asks: asks,
      holds: holds,
      full: full,
      ends: ends
    )
  }
}
