internal import FlowLanguage
internal import FlowWire

extension Client {
  func explain(_ expression: Expression) throws(DefinitionError) {
    let (explanation, mentions) = try explained(expression)
    let readsAll = reads(mentions)
    // What the client has written itself is no secret.
    let isOwn = engine.registry[expression.text] == nil
    for row in explanation.rows {
      let origin = row.stage.pipeline
      let text = readsAll || (isOwn && origin == nil) ? row.stage.text : Self.hidden
      session.row(row.text(text, of: origin.flatMap { session.access.shows($0) ? $0 : nil }))
    }
    var total = "total holds=\"\(explanation.holds)\""
    if let rate = explanation.rate { total += " rate=\"\(rate)\"" }
    session.row(total)
    session.answer("OK explain stages=\(explanation.stageCount)")
  }

  private func explained(
    _ expression: Expression
  ) throws(DefinitionError) -> (Explanation, mentions: [String]) {
    if case .run(let run) = engine.registry[expression.text] {
      try session.access.check(.subscribe, run.name)
      return (run.standing.explanation, run.mentions)
    }
    let pipeline = try engine.pipeline(expression, for: session.access)
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
