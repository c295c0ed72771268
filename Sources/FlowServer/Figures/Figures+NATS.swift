internal import FlowNATS

extension Figures {
  /// Those of the NATS that holds subjects; without one there are none.
  static let nats: FigureTable<Engine> = [
    Figure(.gauge("flow_nats_up", "1 while NATS can be used")) {
      $0.shared.map { .count($0.link.isUp ? 1 : 0) }
    },
    Figure(.counter("flow_nats_reconnects_total", "connections to NATS after the first")) {
      $0.shared.map { .count(max(0, $0.counters.connections - 1)) }
    },
    Figure(
      each: .counter(
        "flow_nats_batches_total",
        "batches of values sent to NATS, by what came of them; unknown and full ones are sent again"
      )
    ) { engine in
      guard let counters = engine.shared?.counters else { return [] }
      return [
        Sample(counters.stored, ("outcome", "stored")),
        Sample(counters.repeated, ("outcome", "repeated")),
        Sample(counters.full, ("outcome", "full")),
        Sample(counters.unknown, ("outcome", "unknown")),
      ]
    },
    Figure(values, ("direction", "in")) { $0.shared.map { .count($0.counters.valuesIn) } },
    Figure(values, ("direction", "out")) { $0.shared.map { .count($0.counters.valuesOut) } },
    Figure(
      .gauge(
        "flow_nats_unanswered_values",
        "values sent to NATS, or waiting for that, which are not known to be stored"
      )
    ) { $0.shared.map { .count($0.all.reduce(0) { $0 + $1.outbox.count }) } },
    Figure(
      .counter(
        "flow_nats_gap_values_total",
        "values that NATS no longer had when this server came to read them"
      )
    ) { $0.shared.map { .count($0.counters.gaps) } },
    Figure(
      .gauge(
        "flow_nats_store_seconds_max",
        "the longest time values took to be stored since the server started"
      )
    ) { $0.shared.map { .time($0.counters.longestStore) } },
    Figure(
      .gauge("flow_nats_leases", "runs into subjects in NATS that this server carries out")
    ) { $0.shared.map { .count($0.runs.count { $0.shared?.isHeld == true }) } },
  ]

  /// Those that a subject in NATS has beside the figures of all subjects.
  static let stored: FigureTable<SharedSubject> = [
    Figure(field: "room", member: "room") { $0.isLossless ? .count($0.room.size) : nil },
    Figure(room, ("state", "used"), field: "used", member: "used") {
      $0.isLossless && $0.room.isLookedAfter ? .count($0.room.used) : nil
    },
    Figure(room, ("state", "left")) {
      $0.isLossless && $0.room.isLookedAfter ? .count(max(0, $0.room.leftNow)) : nil
    },
    Figure(field: "slowest") {
      $0.isLossless && $0.room.used > 0 ? ($0.room.slowest?.place).map(Amount.text) : nil
    },
    Figure(.gauge("flow_nats_pull_demand", "values of a subject asked for that NATS has not sent"))
    {
      .count($0.inlets.reduce(0) { $0 + $1.outstanding })
    },
    Figure(field: "nats") { .text($0.natsState) },
    Figure(field: "left-out") { $0.inlet.leftOut.unlessZero.map(Amount.count) },
    Figure(field: "gaps") { $0.inlet.gaps.unlessZero.map(Amount.count) },
  ]

  private static let room = Metric.gauge(
    "flow_nats_room_values",
    "of the room of a flow=slowest subject, values that wait in NATS, and places left"
  )
  private static let values = Metric.counter(
    "flow_nats_values_total",
    "values read from NATS, and stored in it"
  )
}
