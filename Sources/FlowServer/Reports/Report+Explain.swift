internal import FlowLanguage
internal import FlowWire

// EXPLAIN: what each stage does with demand.
extension Report {
  /// The rows of an expression, and how many stages it has.
  func explain(_ expression: Expression) throws(DefinitionError) -> (rows: [String], stages: Int) {
    let (explanation, stages, mentions) = try explained(expression)
    // What the client has written itself is no secret.
    let isOwn = engine.registry[expression.text] == nil
    let fold = { [gate] in gate.folded($0, of: mentions, isOwn: isOwn) }
    let folded = fold(stages)
    let rows = rows(folded, below: "", fold)
    guard gate.reads(all: mentions) else {
      return (rows + ["total holds=\"\(Gate.hidden)\""], folded.count)
    }
    let rate = explanation.rate.map { " rate=\"\($0)\"" } ?? ""
    let total = "total holds=\"\(explanation.holds)\"\(rate)\(resume(expression))"
    return (rows + [total], folded.count)
  }

  /// A row for each stage, followed by the rows of its branches, whose hidden stages `fold` joins.
  private func rows(
    _ stages: [StageDescription?],
    below prefix: String,
    _ fold: ([StageDescription]) -> [StageDescription?]
  ) -> [String] {
    stages.enumerated().flatMap { (number, stage) -> [String] in
      let start = "\(prefix.isEmpty ? "stage" : "inner") \(prefix)\(number)"
      guard let stage else { return ["\(start) \(Self.hiddenStage)"] }
      return ["\(start) \(row(of: stage))"]
        + rows(fold(stage.branches.flatMap(\.self)), below: "\(prefix)\(number).", fold)
    }
  }

  private static let hiddenStage =
    "\(Gate.hidden) "
    + ["asks", "holds", "full", "ends"].map { "\($0)=\"\(Gate.hidden)\"" }
    .joined(separator: " ")

  /// A stage as EXPLAIN shows it.
  private func row(of stage: StageDescription) -> String {
    let demand = stage.demand
    let origin = stage.pipeline.flatMap { gate.knows($0) ? " of=\($0)" : nil } ?? ""
    return "\(FrameWriter.oneLine(stage.text))\(origin)"
      + " asks=\"\(demand.asks)\" holds=\"\(demand.holds.text)\""
      + " full=\"\(demand.full)\" ends=\"\(demand.ends)\""
  }

  /// How a run for all servers goes on when its server dies, and why so.
  private func resume(_ expression: Expression) -> String {
    guard let shared = engine.registry.run(expression.text)?.shared else { return "" }
    return " resume=\(shared.resume.rawValue) why=\"\(shared.why)\""
  }

  private func explained(
    _ expression: Expression
  ) throws(DefinitionError) -> (Explanation, stages: [StageDescription], mentions: [String]) {
    if case .run(let run) = engine.registry[expression.text] {
      try access.check(.subscribe, run.name)
      let standing = run.standing
      let stages = standing.pipeline.stages + [standing.lastStage]
      return (standing.explanation, stages, standing.mentions)
    }
    let pipeline = try engine.pipeline(expression, for: access)
    return (pipeline.explanation, pipeline.stages, pipeline.mentions)
  }
}
