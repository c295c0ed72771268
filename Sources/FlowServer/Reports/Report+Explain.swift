internal import FlowLanguage
internal import FlowWire

// EXPLAIN: what each stage does with demand.
extension Report {
  /// The rows of an expression, and how many stages it has.
  func explain(_ expression: Expression) throws(DefinitionError) -> (rows: [String], stages: Int) {
    let (explanation, mentions) = try explained(expression)
    let readsAll = reads(mentions)
    // What the client has written itself is no secret.
    let isOwn = engine.registry[expression.text] == nil
    var rows = explanation.rows.map { row in
      let origin = row.stage.pipeline
      let text = readsAll || (isOwn && origin == nil) ? row.stage.text : Self.hidden
      return row.text(text, of: origin.flatMap { access.shows($0) ? $0 : nil })
    }
    let rate = explanation.rate.map { " rate=\"\($0)\"" } ?? ""
    rows.append("total holds=\"\(explanation.holds)\"\(rate)\(resume(expression))")
    return (rows, explanation.stageCount)
  }

  /// How a run for all servers goes on when its server dies, and why so.
  private func resume(_ expression: Expression) -> String {
    guard let run = engine.registry.run(expression.text), let shared = run.shared,
      reads(run.mentions)
    else { return "" }
    return " resume=\(shared.resume.rawValue) why=\"\(shared.why)\""
  }

  private func explained(
    _ expression: Expression
  ) throws(DefinitionError) -> (Explanation, mentions: [String]) {
    if case .run(let run) = engine.registry[expression.text] {
      try access.check(.subscribe, run.name)
      return (run.standing.explanation, run.mentions)
    }
    let pipeline = try engine.pipeline(expression, for: access)
    return (pipeline.explanation, pipeline.mentions)
  }
}

extension Explanation.Row {
  /// The row as EXPLAIN tells it.
  fileprivate func text(_ text: String, of pipeline: String?) -> String {
    let demand = stage.demand
    let kind = number.contains(".") ? "inner" : "stage"
    let origin = pipeline.map { " of=\($0)" } ?? ""
    return "\(kind) \(number) \(FrameWriter.oneLine(text))\(origin)"
      + " asks=\"\(demand.asks)\" holds=\"\(demand.holds.text)\""
      + " full=\"\(demand.full)\" ends=\"\(demand.ends)\""
  }
}
