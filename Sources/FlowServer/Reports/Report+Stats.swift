// STATS: the metrics of the server, or of one name.
extension Report {
  /// The rows of what is called `name`; without a name, those of the server.
  func stats(_ name: String?) -> [String] {
    MetricTable.all.flatMap { metric in
      engine.samples(of: metric, named: name).map { sample in
        "\(metric.name)\(sample.suffix)\(sample.labelText) \(sample.valueText)"
      }
    }
  }
}

extension Engine {
  /// The present numbers of a metric: of the server, or if there is a name, of what has it.
  func samples(of metric: Metric, named name: String?) -> [Metric.Sample] {
    guard let name else {
      guard case .server(let read) = metric.reading else { return [] }
      return read(self)
    }
    if case .service(let read) = metric.reading { return services[name].map(read) ?? [] }
    if case .watched(let read) = metric.reading { return watch.names[name].map(read) ?? [] }
    switch (metric.reading, registry[name]) {
    case (.subject(let read), .subject(let subject)): return read(subject)
    case (.pipeline(let read), .pipeline(let pipeline)):
      let streams = streams(of: pipeline)
      return read(RunningPipeline(name: name, pipeline: pipeline, streams: streams))
    case (.run(let read), .run(let run)): return read(run)
    case (.stage(let read), _): return stages(of: name).flatMap(read)
    default: return []
    }
  }
}
