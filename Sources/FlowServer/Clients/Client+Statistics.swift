internal import FlowWire

extension Client {
  /// Tells the metrics of the server, or of what is called `name`.
  func stats(_ name: String?) throws(DefinitionError) {
    if let name, engine.registry[name] == nil, engine.services[name] == nil {
      throw unknownName(name)
    }
    var count = 0
    for metric in MetricTable.all {
      for sample in engine.samples(of: metric, named: name) {
        session.row("\(metric.name)\(sample.labelText) \(sample.valueText)")
        count += 1
      }
    }
    session.answer("OK stats \(count)")
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
