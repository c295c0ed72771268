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
      each: .gauge(
        "flow_nats_room_values",
        "of the room of a flow=slowest subject, values that wait in NATS, and places left"
      )
    ) { engine in
      let subjects = engine.shared?.all.filter { $0.isLossless && $0.room.isLookedAfter } ?? []
      return subjects.flatMap { subject in
        [
          Sample(subject.room.used, ("subject", subject.name), ("state", "used")),
          Sample(max(0, subject.room.leftNow), ("subject", subject.name), ("state", "left")),
        ]
      }
    },
    Figure(
      each: .gauge(
        "flow_nats_pull_demand",
        "values of a subject asked for that NATS has not sent"
      )
    ) { engine in
      (engine.shared?.all ?? []).map { subject in
        Sample(subject.inlets.reduce(0) { $0 + $1.outstanding }, ("subject", subject.name))
      }
    },
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

  private static let values = Metric.counter(
    "flow_nats_values_total",
    "values read from NATS, and stored in it"
  )
}
