internal import FlowNATS

extension MetricTable {
  /// Those of the NATS that holds subjects; without one there are none.
  static let nats = [
    Metric(
      "flow_nats_up",
      .gauge,
      "1 while NATS can be used",
      ofNATS { [.init($0.link.isUp ? 1 : 0)] }
    ),
    Metric(
      "flow_nats_reconnects_total",
      .counter,
      "connections to NATS after the first",
      ofNATS { [.init(max(0, $0.counters.connections - 1))] }
    ),
    Metric(
      "flow_nats_batches_total",
      .counter,
      "batches of values sent to NATS, by what came of them; unknown and full ones are sent again",
      ofNATS {
        let counters = $0.counters
        return [
          ("stored", counters.stored), ("repeated", counters.repeated), ("full", counters.full),
          ("unknown", counters.unknown),
        ]
        .map { .init($1, ("outcome", $0)) }
      }
    ),
    Metric(
      "flow_nats_values_total",
      .counter,
      "values read from NATS, and stored in it",
      ofNATS {
        [
          .init($0.counters.valuesIn, ("direction", "in")),
          .init($0.counters.valuesOut, ("direction", "out")),
        ]
      }
    ),
    Metric(
      "flow_nats_unanswered_values",
      .gauge,
      "values sent to NATS, or waiting for that, which are not known to be stored",
      ofNATS { [.init($0.all.reduce(0) { $0 + $1.outbox.count })] }
    ),
    Metric(
      "flow_nats_room_values",
      .gauge,
      "of the room of a flow=slowest subject, values that wait in NATS, and places left",
      ofNATS {
        $0.all.filter { $0.isLossless && $0.room.isLookedAfter }
          .flatMap { subject -> [Metric.Sample] in
            let name = ("subject", subject.name)
            return [
              .init(subject.room.used, name, ("state", "used")),
              .init(max(0, subject.room.leftNow), name, ("state", "left")),
            ]
          }
      }
    ),
    Metric(
      "flow_nats_pull_demand",
      .gauge,
      "values of a subject asked for that NATS has not sent",
      ofNATS {
        $0.all.map {
          let asked = $0.readerInlets.reduce($0.inlet.outstanding) { $0 + $1.outstanding }
          return .init(asked, ("subject", $0.name))
        }
      }
    ),
    Metric(
      "flow_nats_gap_values_total",
      .counter,
      "values that NATS no longer had when this server came to read them",
      ofNATS { [.init($0.counters.gaps)] }
    ),
    Metric(
      "flow_nats_store_seconds_max",
      .gauge,
      "the longest time values took to be stored since the server started",
      ofNATS { [.init(seconds: $0.counters.longestStore)] }
    ),
    Metric(
      "flow_nats_leases",
      .gauge,
      "runs into subjects in NATS that this server carries out",
      ofNATS { [.init($0.runs.count { $0.shared?.isHeld == true })] }
    ),
  ]

  private static func ofNATS(
    _ read: @escaping @Sendable (SharedSubjects) -> [Metric.Sample]
  ) -> Metric.Reading {
    .server { $0.stores.store(SharedSubjects.self).map(read) ?? [] }
  }
}
