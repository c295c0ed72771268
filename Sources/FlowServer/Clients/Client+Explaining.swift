internal import FlowLanguage
internal import FlowWire

extension Client {
  func explain(_ expression: Expression, _ line: UnsafeRawBufferPointer) {
    let explanation: Explanation
    do throws(DefinitionError) {
      explanation = try explained(expression)
    } catch {
      return refuse(error, expression, line)
    }
    for row in explanation.rows { session.row(row.text) }
    var total = "total holds=\"\(explanation.holds)\""
    if let rate = explanation.rate { total += " rate=\"\(rate)\"" }
    session.row(total)
    session.answer("OK explain stages=\(explanation.stageCount)")
  }

  private func explained(
    _ expression: Expression
  ) throws(DefinitionError) -> Explanation {
    if case .run(let run) = engine.registry[expression.text] { return run.standing.explanation }
    return try engine.pipeline(expression).explanation
  }
}

extension Explanation.Row {
  /// The row as EXPLAIN tells it.
  fileprivate var text: String {
    let demand = stage.demand
    let kind = number.contains(".") ? "inner" : "stage"
    let origin = stage.pipeline.map { " of=\($0)" } ?? ""
    return "\(kind) \(number) \(FrameWriter.oneLine(stage.text))\(origin)"
      + " asks=\"\(demand.asks)\" holds=\"\(demand.holds.text)\""
      + " full=\"\(demand.full)\" ends=\"\(demand.ends)\""
  }
}
