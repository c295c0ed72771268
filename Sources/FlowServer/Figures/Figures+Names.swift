internal import FlowLanguage
internal import FlowWire

extension Figures {
  /// The order in metrics: traffic, peers, holdings.
  static let subjects: FigureTable<SubjectFigures> = traffic + peers + holdings
  /// The order in LIST and SHOW: peers first.
  static let listedSubjects: FigureTable<SubjectFigures> = peers + traffic + holdings

  private static let traffic: FigureTable<SubjectFigures> = [
    Figure(subjectValues, ("outcome", "published"), field: "published", member: "in") {
      .count($0.published)
    },
    Figure(member: "out") { .count($0.published) },
    Figure(subjectValues, ("outcome", "delivered"), field: "delivered") { .count($0.delivered) },
    Figure(subjectValues, ("outcome", "missed"), field: "missed", member: "dropped") {
      .count($0.missed)
    },
  ]

  private static let peers: FigureTable<SubjectFigures> = [
    Figure(field: "subscriptions") { .count($0.subscriptions) },
    Figure(subscriptions, ("room", "yes")) { .count($0.subscriptions - $0.starved) },
    Figure(subscriptions, ("room", "no")) { .count($0.starved) },
    .gauge("flow_subject_publications", "publications to a subject", field: "publications") {
      .count($0.publications)
    },
  ]

  private static let holdings: FigureTable<SubjectFigures> = [
    .gauge(
      "flow_subject_waiting_values",
      "values waiting for room with their publishers",
      field: "waiting"
    ) { .count($0.waiting) },
    .gauge(
      "flow_subject_stalled_seconds",
      "how long the slowest subscription has held up waiting values"
    ) { .time($0.longestStall) },
    .gauge(
      "flow_subject_held_bytes",
      "bytes a subject keeps for later subscribers, and holds for publishers that have ended or disconnected"
    ) { .count($0.bytes) },
    .counter("flow_subject_forgotten_values_total", "kept values dropped to save memory") {
      .count($0.forgotten)
    },
    Figure(
      each: .histogram(
        "flow_subject_delivery_seconds",
        "how long values took through a subject to its slowest subscription, of those that were followed while somebody watches"
      )
    ) { $0.times.map { $0.count > 0 ? $0.samples : [] } ?? [] },
  ]

  private static let subjectValues = Metric.counter(
    "flow_subject_values_total",
    "values sent to a subject, delivered to its subscriptions, and missed by them"
  )
  private static let subscriptions = Metric.gauge(
    "flow_subject_subscriptions",
    "subscriptions to a subject, with and without room for a value"
  )

  /// Figures of streams that run a named pipeline.
  static let pipelines: FigureTable<RunningPipeline> = [
    Figure(running, ("demand", "yes")) { .count($0.streams.count { $0.demand > .none }) },
    Figure(running, ("demand", "no")) { .count($0.streams.count { $0.demand == .none }) },
    .gauge(
      "flow_subscription_stalled_seconds_max",
      "the longest time a subscription has had no demand for an available value"
    ) { .time($0.streams.compactMap(\.stalled).max() ?? 0) },
    .gauge(
      "flow_pipeline_held_bytes",
      "bytes held by the stages of a pipeline, for all subscriptions by its name",
      for: .insiders
    ) { .count($0.streams.reduce($0.pipeline.sharedBytes) { $0 + $1.pipelineBytes }) },
  ]

  private static let running = Metric.gauge(
    "flow_subscriptions",
    "subscriptions to a pipeline by its name, with and without demand"
  )

  /// Figures that a watch has measured for a pipeline or a run.
  static let watched: FigureTable<WatchedName> = [
    Figure(
      each: .histogram(
        "flow_delivery_seconds",
        "how long values took from the source of a pipeline to its end, of those that were followed while somebody watches"
      ),
      for: .insiders
    ) { $0.sightings.times.samples },
    Figure(
      each: .gauge(
        "flow_pipeline_verdict",
        "1 for what is the matter with a pipeline or a run, 0 for what is not, while somebody watches"
      )
    ) { seen in
      Verdict.Code.allCases.map {
        Sample(seen.verdict.code == $0 ? 1 : 0, ("verdict", $0.rawValue))
      }
    },
  ]

  static let runs: FigureTable<Run> = [
    Figure(field: "state") { .text($0.stateText) },
    .gauge("flow_run_running", "1 while a run is running, on this server if several know of it") {
      .count($0.isAtWork && $0.backend?.isHeld ?? true ? 1 : 0)
    },
    Figure(field: "lease") { $0.isRunning ? $0.backend.map { .text($0.place) } : nil },
    Figure(field: "resume") { $0.backend.map { .text($0.resume.rawValue) } },
    .counter("flow_run_values_total", "values produced by a run", field: "values", for: .insiders) {
      .count($0.values)
    },
    Figure(field: "missed", for: .insiders) { .count($0.misses.values.reduce(0, +)) },
    Figure(field: "failed", for: .insiders) { $0.misses[.failed].map(Amount.count) },
    Figure(
      each: .counter("flow_run_missed_values_total", "values missed by a run"),
      for: .insiders
    ) { $0.misses.samples },
    Figure(field: "lost-letters", for: .insiders) {
      $0.letters?.lost.unlessZero.map(Amount.count)
    },
    .counter(
      "flow_run_lost_letters_total",
      "dead letters of a run that the subject of failed= did not take",
      for: .insiders
    ) { $0.letters.map { .count($0.lost) } },
    .gauge(
      "flow_run_held_values",
      "values of a run waiting for room at its subject",
      field: "held",
      for: .insiders
    ) { .count($0.held) },
    .gauge(
      "flow_run_held_bytes",
      "bytes held by a run: by its stages, and by values waiting for room",
      for: .insiders
    ) { .count($0.bytes) },
    Figure(field: "demand", for: .insiders) { Amount($0.demand) },
    .counter(
      "flow_run_restarts_total",
      "how often a run was started again after it had failed",
      field: "restarts",
      member: "restarts"
    ) { $0.restarts.map { .count($0.count) } },
    Figure(field: "next") { $0.timeToRestart.map(Amount.time) },
  ]
}

extension Run {
  fileprivate var stateText: String {
    switch state {
    case .running: backend?.isRefused == true ? "refused" : "running"
    case .waiting: "waiting"
    case .finished: "finished"
    case .failed: "failed"
    }
  }

  /// How long until it is started again, in nanoseconds; nil if it does not wait.
  fileprivate var timeToRestart: Int64? {
    guard case .waiting = state else { return nil }
    return restarts.map { $0.left(at: engine.now) * 1_000_000 }
  }
}

extension DeliveryTimes {
  fileprivate var samples: [Sample] {
    var below = 0
    let buckets = counts.enumerated().map { place, count in
      below += count
      let bound = place < Self.bounds.count ? "\(Double(Self.bounds[place]) / 1e6)" : "+Inf"
      return Sample(.count(below), labels: [("le", bound)], suffix: "_bucket")
    }
    return buckets + [
      Sample(.number(sum), labels: [], suffix: "_sum"),
      Sample(.count(count), labels: [], suffix: "_count"),
    ]
  }
}
