internal import FlowWire

extension MetricTable {
  static let services = [
    Metric(
      "flow_service_workers",
      .gauge,
      "workers of a service",
      .service { [.init($0.workers.count, ("service", $0.name))] }
    ),
    Metric(
      "flow_service_demand_calls",
      .gauge,
      "further calls the workers of a service accept; +Inf is no limit",
      .service { service in
        let demand = service.demand.max.map { Double($0) } ?? .infinity
        return [.init(demand, [("service", service.name)])]
      }
    ),
    Metric(
      "flow_service_calls",
      .gauge,
      "calls of a service waiting for a worker, and calls in progress",
      .service { service in
        [
          .init(service.waitingCount, ("service", service.name), ("state", "waiting")),
          .init(service.running, ("service", service.name), ("state", "running")),
        ]
      }
    ),
    Metric(
      "flow_service_calls_total",
      .counter,
      "calls finished by the workers of a service since it was created",
      .service { [.init($0.answered, ("service", $0.name))] }
    ),
  ]
}
