internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

extension MetricTable {
  static let subjects = [
    Metric(
      "flow_subject_values_total",
      .counter,
      "values sent to a subject, delivered to its subscriptions, and missed by them",
      .subject { subject in
        [
          ("published", subject.published), ("delivered", subject.delivered),
          ("missed", subject.missed),
        ]
        .map { .init($1, ("subject", subject.name), ("outcome", $0)) }
      }
    ),
    Metric(
      "flow_subject_subscriptions",
      .gauge,
      "subscriptions to a subject, with and without room for a value",
      .subject { subject in
        [
          .init(
            subject.subscriptions - subject.starved,
            ("subject", subject.name),
            ("room", "yes")
          ),
          .init(subject.starved, ("subject", subject.name), ("room", "no")),
        ]
      }
    ),
    Metric(
      "flow_subject_publications",
      .gauge,
      "publications to a subject",
      .subject { [.init($0.publications, ("subject", $0.name))] }
    ),
    Metric(
      "flow_subject_waiting_values",
      .gauge,
      "values waiting for room with their publishers",
      .subject { [.init($0.waiting, ("subject", $0.name))] }
    ),
    Metric(
      "flow_subject_stalled_seconds",
      .gauge,
      "how long the slowest subscription has held up waiting values",
      .subject { [.init(seconds: $0.longestStall, ("subject", $0.name))] }
    ),
    Metric(
      "flow_subject_held_bytes",
      .gauge,
      "bytes a subject keeps for later subscribers, and holds for publishers that have ended or disconnected",
      .subject { [.init($0.bytes, ("subject", $0.name))] }
    ),
    Metric(
      "flow_subject_forgotten_values_total",
      .counter,
      "kept values dropped to save memory",
      .subject { [.init($0.forgotten, ("subject", $0.name))] }
    ),
    Metric(
      "flow_subject_delivery_seconds",
      .histogram,
      "how long values took through a subject to its slowest subscription, of those that were followed while somebody watches",
      .arrivals { name, times in times.count > 0 ? times.samples([("subject", name)]) : [] }
    ),
  ]

  static let pipelines = [
    Metric(
      "flow_subscriptions",
      .gauge,
      "subscriptions to a pipeline by its name, with and without demand",
      .pipeline { running in
        let idle = running.streams.count { $0.demand == .none }
        let name = ("pipeline", running.name)
        return [
          .init(running.streams.count - idle, name, ("demand", "yes")),
          .init(idle, name, ("demand", "no")),
        ]
      }
    ),
    Metric(
      "flow_subscription_stalled_seconds_max",
      .gauge,
      "the longest time a subscription has had no demand for an available value",
      .pipeline { running in
        let longest = running.streams.compactMap(\.stalled).max() ?? 0
        return [.init(seconds: longest, ("pipeline", running.name))]
      }
    ),
    Metric(
      "flow_pipeline_held_bytes",
      .gauge,
      "bytes held by the stages of a pipeline, for all subscriptions by its name",
      isInside: true,
      .pipeline { running in
        let held = running.streams.reduce(running.pipeline.sharedBytes) { $0 + $1.pipelineBytes }
        return [.init(held, ("pipeline", running.name))]
      }
    ),
  ]

  static let verdicts = [
    Metric(
      "flow_delivery_seconds",
      .histogram,
      "how long values took from the source of a pipeline to its end, of those that were followed while somebody watches",
      isInside: true,
      .watched { $0.times.samples([("pipeline", $0.name)]) }
    ),
    Metric(
      "flow_pipeline_verdict",
      .gauge,
      "1 for what is the matter with a pipeline or a run, 0 for what is not, while somebody watches",
      .watched { seen in
        Verdict.Code.allCases.map { code in
          let isIt = seen.verdict.code == code
          return .init(isIt ? 1 : 0, ("pipeline", seen.name), ("verdict", code.rawValue))
        }
      }
    ),
  ]

  static let runs = [
    Metric(
      "flow_run_running",
      .gauge,
      "1 while a run is running, on this server if several know of it",
      .run { [.init($0.isAtWork && $0.backend?.isHeld ?? true ? 1 : 0, ("run", $0.name))] }
    ),
    Metric(
      "flow_run_restarts_total",
      .counter,
      "how often a run was started again after it had failed",
      .run { run in run.restarts.map { [.init($0.count, ("run", run.name))] } ?? [] }
    ),
    Metric(
      "flow_run_values_total",
      .counter,
      "values produced by a run",
      isInside: true,
      .run { [.init($0.values, ("run", $0.name))] }
    ),
    Metric(
      "flow_run_missed_values_total",
      .counter,
      "values missed by a run",
      isInside: true,
      .run { run in
        DropReason.allCases.map {
          .init(run.misses[$0] ?? 0, ("run", run.name), ("reason", $0.rawValue))
        }
      }
    ),
    Metric(
      "flow_run_held_values",
      .gauge,
      "values of a run waiting for room at its subject",
      isInside: true,
      .run { [.init($0.held, ("run", $0.name))] }
    ),
    Metric(
      "flow_run_held_bytes",
      .gauge,
      "bytes held by a run: by its stages, and by values waiting for room",
      isInside: true,
      .run { [.init($0.bytes, ("run", $0.name))] }
    ),
  ]
}

extension DeliveryTimes {
  /// The parts of a histogram.
  fileprivate func samples(_ labels: [(name: String, value: String)]) -> [Metric.Sample] {
    var below = 0
    var samples: [Metric.Sample] = []
    for (place, count) in counts.enumerated() {
      below += count
      let bound = place < Self.bounds.count ? "\(Self.bounds[place])" : "+Inf"
      var sample = Metric.Sample(Double(below), labels + [("le", bound)])
      sample.suffix = "_bucket"
      samples.append(sample)
    }
    for (suffix, value) in [("_sum", sum), ("_count", Double(count))] {
      var sample = Metric.Sample(value, labels)
      sample.suffix = suffix
      samples.append(sample)
    }
    return samples
  }
}
