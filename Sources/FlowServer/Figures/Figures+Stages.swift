internal import FlowLanguage

struct MeasuredStage {
  /// Nil for the one stage that replaces a hidden inside.
  var stage: StageDescription?
  let figures: StageFigures
  /// Measurements, while a watch runs.
  var tally: StageTally?
  /// How many running pipelines have it.
  var runs = 0
}

extension Figures {
  /// Figures of a stage; only insiders see stages at all.
  static let stages: FigureTable<MeasuredStage> = [
    Figure(field: "in", member: "in") { .count($0.figures.taken) },
    Figure(values, ("direction", "in")) { .count($0.figures.taken + $0.figures.made) },
    Figure(field: "made") { $0.figures.made.unlessZero.map(Amount.count) },
    Figure(values, ("direction", "out"), field: "out", member: "out") { .count($0.figures.sent) },
    Figure(field: "dropped", member: "dropped") { .count($0.figures.dropped) },
    Figure(
      each: .counter(
        "flow_stage_dropped_values_total",
        "values dropped by a stage, and why it drops some"
      )
    ) { measured in
      let (figures, reason) = (measured.figures, measured.stage?.dropReason.rawValue ?? "")
      let others = Sample(figures.dropped - figures.failed, ("reason", reason))
      guard figures.failed > 0 else { return [others] }
      return [others, Sample(figures.failed, ("reason", DropReason.failed.rawValue))]
    },
    Figure(field: "failed") { $0.figures.failed.unlessZero.map(Amount.count) },
    .gauge("flow_stage_queued_values", "values inside a stage", field: "held", member: "held") {
      .count($0.figures.held)
    },
    .counter(
      "flow_stage_consumed_values_total",
      "values that a stage filtered out or combined into others",
      field: "consumed"
    ) { .count($0.figures.consumed) },
    .gauge(
      "flow_stage_capacity_values",
      "values that a stage may hold for all that run it, where that is known"
    ) { measured in
      guard let holds = measured.stage?.demand.holds, holds != .nothing else { return nil }
      return holds.limit.map { .number(Double($0) * Double(measured.runs)) }
    },
    Figure(
      each: .counter(
        "flow_stage_state_seconds_total",
        "seconds that a stage was starved, working and blocked, for all that run it, while somebody watches"
      )
    ) { measured in
      guard let tally = measured.tally else { return [] }
      return StageState.allCases.map { state in
        Sample(.time(tally.spent[state.rawValue]), labels: [("state", "\(state)")])
      }
    },
    Figure(field: "left") { $0.figures.left.unlessZero.map(Amount.count) },
    .gauge(
      "flow_stage_inflight_publishers",
      "unfinished inner publishers of a stage",
      field: "publishers",
      member: "publishers"
    ) { $0.figures.publishers.map(Amount.count) },
    .gauge(
      "flow_stage_demand_values",
      "values requested from a stage and not yet sent",
      field: "demand",
      member: "asked"
    ) { .demand($0.figures.demand) },
  ]

  private static let values = Metric.counter(
    "flow_stage_values_total",
    "values received or created by a stage, and values passed on by it"
  )
}

extension StageDescription {
  /// The reason for values that it drops.
  fileprivate var dropReason: DropReason {
    switch name {
    case "buffer": arguments["whenFull"] == ".dropOldest" ? .bufferOldest : .bufferNewest
    case "share" where arguments["replay"] != nil: .bufferOldest
    case "exhaustMap": .busy
    case "join": .unmatched
    default: .noDemand
    }
  }
}
