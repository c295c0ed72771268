import FlowLanguage
import FlowWire

/// What each stage of a pipeline does with demand, as a server or this program says it.
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
  /// How many values may be inside at once.
  var holds: String
  var rate: String?

  /// What is known here, where the names `unknown` may stand for anything.
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

  /// The rows that a server answers to EXPLAIN; nil if they are none.
  init?(answer rows: [String]) {
    guard let total = rows.last, let holds = Self.value("holds", in: total[...]) else { return nil }
    self.holds = holds
    rate = Self.value("rate", in: total[...])
    stages = []
    for row in rows.dropLast() {
      guard let stage = Stage(answer: row) else { return nil }
      stages.append(stage)
    }
  }

  private static func value(_ key: String, in row: Substring) -> String? {
    guard let start = row.ranges(of: " \(key)=\"").last?.upperBound,
      let end = row[start...].firstIndex(of: "\"")
    else { return nil }
    return String(row[start..<end])
  }
}

extension Explained.Stage {
  /// Reads `stage 1 map { $0 } of=slow asks="…" holds="…" full="…" ends="…"`; only the text and what is
  /// done when it is full may have quotes in them.
  init?(answer row: String) {
    let parts = row.split(separator: " ", maxSplits: 2)
    guard parts.count == 3, ["stage", "inner"].contains(parts[0]) else { return nil }
    let rest = parts[2]
    guard let asks = rest.ranges(of: " asks=\"").last,
      let holds = rest.ranges(of: "\" holds=\"").last,
      let full = rest.ranges(of: "\" full=\"").last, let ends = rest.ranges(of: "\" ends=\"").last,
      asks.upperBound <= holds.lowerBound, holds.upperBound <= full.lowerBound,
      full.upperBound <= ends.lowerBound, rest.hasSuffix("\"")
    else { return nil }
    var text = rest[..<asks.lowerBound]
    if let mark = text.ranges(of: " of=").last, Name.isReadable(text[mark.upperBound...]) {
      pipeline = String(text[mark.upperBound...])
      text = text[..<mark.lowerBound]
    }
    number = String(parts[1])
    self.text = String(text)
    self.asks = String(rest[asks.upperBound..<holds.lowerBound])
    self.holds = String(rest[holds.upperBound..<full.lowerBound])
    self.full = String(rest[full.upperBound..<ends.lowerBound])
    self.ends = String(rest[ends.upperBound...].dropLast())
  }
}
