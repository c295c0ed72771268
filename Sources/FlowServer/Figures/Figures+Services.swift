extension Figures {
  static let services: FigureTable<Service> = [
    .gauge("flow_service_workers", "workers of a service", field: "workers", member: "workers") {
      .count($0.workers.count)
    },
    .gauge(
      "flow_service_demand_calls",
      "further calls the workers of a service accept; +Inf is no limit",
      field: "demand"
    ) { Amount($0.demand) },
    Figure(calls, ("state", "waiting"), field: "waiting", member: "waiting") {
      .count($0.waitingCount)
    },
    Figure(calls, ("state", "running"), field: "running", member: "running") { .count($0.running) },
    .counter(
      "flow_service_calls_total",
      "calls finished by the workers of a service since it was created",
      field: "answered"
    ) { .count($0.answered) },
    Figure(field: "elsewhere") { $0.elsewhere.unlessZero.map(Amount.count) },
  ]

  private static let calls = Metric.gauge(
    "flow_service_calls",
    "calls of a service waiting for a worker, and calls in progress"
  )
}
