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
      "calls that the workers of a service take more; +Inf is no limit",
      .service { service in
        let demand = service.demand.max.map { Double($0) } ?? .infinity
        return [.init(demand, [("service", service.name)])]
      }
    ),
    Metric(
      "flow_service_calls",
      .gauge,
      "calls of a service that wait for a worker, and calls that workers are at",
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
      "calls that the workers of a service have ended, since it is there",
      .service { [.init($0.answered, ("service", $0.name))] }
    ),
  ]
}
