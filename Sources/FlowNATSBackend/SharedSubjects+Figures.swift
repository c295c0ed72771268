internal import FlowNATS
internal import FlowServer
internal import FlowSubjects

extension SharedSubjects {
  /// Figures of the connection to NATS.
  private static let figures: FigureTable<SharedSubjects> = [
    .gauge("flow_nats_up", "1 while NATS can be used") {
      .count($0.link.isUp ? 1 : 0)
    },
    .counter("flow_nats_reconnects_total", "connections to NATS after the first") {
      .count(max(0, $0.counters.connections - 1))
    },
    Figure(
      each: .counter(
        "flow_nats_batches_total",
        "batches of values sent to NATS, by what came of them; unknown and full ones are sent again"
      )
    ) { shared in
      let counters = shared.counters
      return [
        Sample(counters.stored, ("outcome", "stored")),
        Sample(counters.repeated, ("outcome", "repeated")),
        Sample(counters.full, ("outcome", "full")),
        Sample(counters.unknown, ("outcome", "unknown")),
      ]
    },
    Figure(values, ("direction", "in")) { .count($0.counters.valuesIn) },
    Figure(values, ("direction", "out")) { .count($0.counters.valuesOut) },
    .gauge(
      "flow_nats_unanswered_values",
      "values sent to NATS, or waiting for that, which are not known to be stored"
    ) { .count($0.all.reduce(0) { $0 + $1.outbox.count }) },
    .counter(
      "flow_nats_gap_values_total",
      "values that NATS no longer had when this server came to read them"
    ) { .count($0.counters.gaps) },
    .gauge(
      "flow_nats_store_seconds_max",
      "the longest time values took to be stored since the server started"
    ) { .time($0.counters.longestStore) },
    .gauge("flow_nats_leases", "runs into subjects in NATS that this server carries out") {
      .count($0.runs.count { $0.shared?.isHeld == true })
    },
  ]

  /// Figures that only a subject in NATS has.
  private static let storedFigures: FigureTable<SharedSubject> = [
    Figure(room, ("state", "used")) { $0.figures.used.map(Amount.count) },
    Figure(room, ("state", "left")) {
      $0.isLossless && $0.room.isLookedAfter ? .count(max(0, $0.room.leftNow)) : nil
    },
    .gauge("flow_nats_pull_demand", "values of a subject asked for that NATS has not sent") {
      .count($0.inlets.reduce(0) { $0 + $1.outstanding })
    },
  ]

  private static let room = Metric.gauge(
    "flow_nats_room_values",
    "of the room of a flow=slowest subject, values that wait in NATS, and places left"
  )
  private static let values = Metric.counter(
    "flow_nats_values_total",
    "values read from NATS, and stored in it"
  )

  static var metrics: [Metric] { figures.metrics + storedFigures.metrics }

  func lines(for gate: Gate) -> [MetricLine] {
    let subjects = all.filter { gate.knows($0.name) }
    return Self.figures.lines(of: self)
      + subjects.flatMap { Self.storedFigures.lines(of: $0, [("subject", $0.name)]) }
  }
}
