internal import FlowLanguage
internal import FlowSubjects
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
      let total = Row(.total, fields: .quoted(["holds": Gate.hidden]))
      return ((rows + [total]).map(\.description), folded.count)
    }
    let holds = RowFields.quoted(["holds": explanation.holds, "rate": explanation.rate])
    let total = Row(.total, fields: holds + resume(expression))
    return ((rows + [total]).map(\.description), folded.count)
  }

  /// A row for each stage, followed by the rows of its branches, whose hidden stages `fold` joins.
  private func rows(
    _ stages: [StageDescription?],
    below prefix: String,
    _ fold: ([StageDescription]) -> [StageDescription?]
  ) -> [Row] {
    stages.enumerated().flatMap { (number, stage) -> [Row] in
      let number = "\(prefix)\(number)"
      let row = row(of: stage, prefix.isEmpty ? .stage : .inner, number)
      guard let stage else { return [row] }
      return [row] + rows(fold(stage.branches.flatMap(\.self)), below: "\(number).", fold)
    }
  }

  /// A stage as EXPLAIN shows it; without a description, as one that may not be shown.
  private func row(of stage: StageDescription?, _ kind: Row.Kind, _ number: String) -> Row {
    func shown(_ text: String?) -> String { text ?? Gate.hidden }
    let demand = stage?.demand
    let origin: RowFields = ["of": stage?.pipeline.flatMap { gate.knows($0) ? $0 : nil }]
    let effects = RowFields.quoted([
      "asks": shown(demand?.asks), "holds": shown(demand?.holds.text),
      "full": shown(demand?.full), "ends": shown(demand?.ends),
    ])
    let text = shown((stage?.text).map(FrameWriter.oneLine))
    return Row(kind, number, text: text, fields: origin + effects)
  }

  /// How a run for all servers goes on when its server dies, and why so.
  private func resume(_ expression: Expression) -> RowFields {
    guard let backend = engine.registry.run(expression.text)?.backend else { return [:] }
    let resume: RowFields = ["resume": backend.resume.rawValue]
    return resume + RowFields.quoted(["why": backend.why])
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
