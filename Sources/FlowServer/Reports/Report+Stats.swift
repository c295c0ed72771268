internal import FlowWire
internal import Spelling

// STATS: the metrics of the server, or of names.
extension Report {
  /// The rows of all names that fit, those of one after those of another.
  func stats(like pattern: NamePattern) -> Rows {
    let services = engine.services.sorted.map(\.name).filter { engine.registry[$0] == nil }
    var names = (engine.registry.names + services).filter(pattern.fits)[...]
    var rows: [String] = []
    return {
      while rows.isEmpty {
        guard let name = names.popFirst() else { return nil }
        let isThere = engine.registry[name] != nil || engine.services[name] != nil
        if isThere, gate.reads(name) { rows = stats(name).reversed() }
      }
      return rows.popLast()
    }
  }

  /// The rows of what is called `name`; without a name, those of the server.
  func stats(_ name: String?) -> [String] {
    zip(MetricTable.all, numbers(name)).flatMap { metric, samples in
      samples.map { "\(MetricRow(metric.name + $0.suffix, $0.labels, value: $0.valueText))" }
    }
  }

  /// The numbers of each metric; a name may be a service's as well.
  private func numbers(_ name: String?) -> [[Metric.Sample]] {
    let measured = Measured(engine, for: gate)
    guard let name else { return measured.ofServer }
    guard let service = engine.services[name] else { return measured.of(name) }
    return zip(measured.of(name), measured.of(service)).map { $0 + $1 }
  }
}
