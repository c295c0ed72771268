// STATS: the metrics of the server, or of one name.
extension Report {
  /// The rows of what is called `name`; without a name, those of the server.
  func stats(_ name: String?) -> [String] {
    zip(MetricTable.all, numbers(name)).flatMap { metric, samples in
      samples.map { "\(metric.name)\($0.suffix)\($0.labelText) \($0.valueText)" }
    }
  }

  /// The numbers of each metric; a name may be a service's as well.
  private func numbers(_ name: String?) -> [[Metric.Sample]] {
    let measured = Measured(engine)
    guard let name else { return measured.ofServer }
    guard let service = engine.services[name] else { return measured.of(name) }
    return zip(measured.of(name), measured.of(service)).map { $0 + $1 }
  }
}
