internal import FlowLanguage

extension MetricTable {
  static let stages = [
    Metric(
      "flow_stage_values_total",
      .counter,
      "values received or created by a stage, and values passed on by it",
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
      "values dropped by a stage",
      .stage { [.init(Double($0.figures.dropped), $0.labels)] }
    ),
    Metric(
      "flow_stage_consumed_values_total",
      .counter,
      "values that a stage filtered out or combined into others",
      .stage { [.init(Double($0.figures.consumed), $0.labels)] }
    ),
    Metric(
      "flow_stage_queued_values",
      .gauge,
      "values inside a stage",
      .stage { [.init(Double($0.figures.held), $0.labels)] }
    ),
    Metric(
      "flow_stage_inflight_publishers",
      .gauge,
      "unfinished inner publishers of a stage",
      .stage { stage in stage.figures.publishers.map { [.init(Double($0), stage.labels)] } ?? [] }
    ),
    Metric(
      "flow_stage_demand_values",
      .gauge,
      "values requested from a stage and not yet sent",
      .stage { stage in
        let demand = stage.figures.demand
        return [.init(demand == .max ? .infinity : Double(demand), stage.labels)]
      }
    ),
  ]
}

extension Engine {
  /// The stages of the pipeline or run that is called `name`, with their figures.
  func stages(of name: String) -> [MeasuredStage] {
    let (pipeline, runs): (Pipeline, [StageCounters])
    switch registry[name] {
    case .pipeline(let found):
      (pipeline, runs) = (found, streams(of: found).compactMap(\.running?.counters))
    case .run(let run): (pipeline, runs) = (run.standing.pipeline, [run.counters])
    case .subject, nil: return []
    }
    return zip(pipeline.stages, pipeline.figures(of: runs)).enumerated().map { number, stage in
      let operation = stage.0.name ?? "subject"
      let labels = [("pipeline", name), ("stage", "\(number)"), ("op", operation)]
      return MeasuredStage(labels: labels, figures: stage.1)
    }
  }
}
