internal import FlowLanguage

extension MetricTable {
  static let stages = [
    Metric(
      "flow_stage_values_total",
      .counter,
      "values received or created by a stage, and values passed on by it",
      isInside: true,
      .stage { stage in
        let given = stage.figures.taken + stage.figures.made
        return [("in", given), ("out", stage.figures.sent)].map { direction, count in
          .init(Double(count), stage.labels + [("direction", direction)])
        }
      }
    ),
    Metric(
      "flow_stage_dropped_values_total",
      .counter,
      "values dropped by a stage, and why it drops some",
      isInside: true,
      .stage { stage in
        let reason = ("reason", stage.stage.dropReason.rawValue)
        let failed = stage.figures.failed
        let dropped = Metric.Sample(Double(stage.figures.dropped - failed), stage.labels + [reason])
        guard failed > 0 else { return [dropped] }
        let label = ("reason", DropReason.failed.rawValue)
        return [dropped, Metric.Sample(Double(failed), stage.labels + [label])]
      }
    ),
    Metric(
      "flow_stage_consumed_values_total",
      .counter,
      "values that a stage filtered out or combined into others",
      isInside: true,
      .stage { [.init(Double($0.figures.consumed), $0.labels)] }
    ),
    Metric(
      "flow_stage_queued_values",
      .gauge,
      "values inside a stage",
      isInside: true,
      .stage { [.init(Double($0.figures.held), $0.labels)] }
    ),
    Metric(
      "flow_stage_capacity_values",
      .gauge,
      "values that a stage may hold for all that run it, where that is known",
      isInside: true,
      .stage { stage in
        guard stage.stage.demand.holds != .nothing, let limit = stage.stage.demand.holds.limit
        else {
          return []
        }
        return [.init(Double(limit) * Double(stage.runs), stage.labels)]
      }
    ),
    Metric(
      "flow_stage_state_seconds_total",
      .counter,
      "seconds that a stage was starved, working and blocked, for all that run it, while somebody watches",
      isInside: true,
      .stage { stage in
        guard let tally = stage.tally else { return [] }
        return StageState.allCases.map { state in
          let seconds = Double(tally.spent[state.rawValue] / 1_000_000) / 1_000
          return .init(seconds, stage.labels + [("state", "\(state)")])
        }
      }
    ),
    Metric(
      "flow_stage_inflight_publishers",
      .gauge,
      "unfinished inner publishers of a stage",
      isInside: true,
      .stage { stage in stage.figures.publishers.map { [.init(Double($0), stage.labels)] } ?? [] }
    ),
    Metric(
      "flow_stage_demand_values",
      .gauge,
      "values requested from a stage and not yet sent",
      isInside: true,
      .stage { stage in
        let demand = stage.figures.demand
        return [.init(demand == .max ? .infinity : Double(demand), stage.labels)]
      }
    ),
  ]
}

extension Engine {
  /// The stages of a pipeline that runs with these counters.
  func stages(
    of pipeline: Pipeline,
    named name: String,
    _ runs: [StageCounters]
  ) -> [MeasuredStage] {
    let tallies = watch.names[name].flatMap { $0.pipeline === pipeline ? $0.tallies : nil }
    return zip(pipeline.stages, pipeline.figures(of: runs)).enumerated().map { number, stage in
      let operation = stage.0.name ?? "subject"
      return MeasuredStage(
        labels: [("pipeline", name), ("stage", "\(number)"), ("op", operation)],
        stage: stage.0,
        figures: stage.1,
        tally: tallies?[number],
        runs: runs.count
      )
    }
  }
}

extension StageDescription {
  /// Why it drops values, if it drops any.
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
