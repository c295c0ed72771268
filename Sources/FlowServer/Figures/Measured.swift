internal import FlowLanguage
internal import FlowWire

/// Reads the metrics of a server; its streams are looked up once for all names.
final class Measured {
  private let engine: Engine
  private let gate: Gate
  private lazy var streams = engine.streamsByPipeline

  init(_ engine: Engine, for gate: Gate) {
    self.engine = engine
    self.gate = gate
  }

  var ofServer: [MetricLine] {
    Figures.server.lines(of: engine) + engine.stores.lines(for: gate)
      + Figures.process.lines(of: engine)
  }

  func of(_ service: Service) -> [MetricLine] {
    Figures.services.lines(of: service, [("service", service.name)])
  }

  /// The metrics of what `name` defines, without those of its inside if that is hidden.
  func of(_ name: String) -> [MetricLine] {
    let inside = gate.measuresInside(name)
    let label: [Sample.Label] = [("pipeline", name)]
    switch engine.registry[name] {
    case .subject(let subject):
      return Figures.subjects.lines(of: engine.figures(of: subject), [("subject", name)])
    case .pipeline(let pipeline):
      let streams = streams[ObjectIdentifier(pipeline)] ?? []
      let running = RunningPipeline(pipeline: pipeline, streams: streams)
      return Figures.pipelines.lines(of: running, label, inside: inside)
        + watched(name, inside)
        + stages(of: pipeline, name, streams.compactMap(\.running?.counters), inside)
    case .run(let run):
      return watched(name, inside)
        + Figures.runs.lines(of: run, [("run", name)], inside: inside)
        + stages(of: run.standing.pipeline, name, [run.counters], inside)
    case nil: return []
    }
  }

  private func watched(_ name: String, _ inside: Bool) -> [MetricLine] {
    guard let seen = engine.watch.names[name] else { return [] }
    return Figures.watched.lines(of: seen, [("pipeline", name)], inside: inside)
  }

  private func stages(
    of pipeline: Pipeline,
    _ name: String,
    _ runs: [StageCounters],
    _ inside: Bool
  ) -> [MetricLine] {
    guard inside else { return [] }
    let seen = engine.watch.names[name]
    let tallies = seen?.pipeline === pipeline ? seen?.sightings.stages : nil
    return zip(pipeline.stages, pipeline.figures(of: runs)).enumerated().flatMap { number, stage in
      let measured = MeasuredStage(
        stage: stage.0,
        figures: stage.1,
        tally: tallies?[number],
        runs: runs.count
      )
      let labels: [Sample.Label] = [
        ("pipeline", name), ("stage", "\(number)"), ("op", stage.0.name ?? "subject"),
      ]
      return Figures.stages.lines(of: measured, labels)
    }
  }
}

/// A named pipeline with the streams that run it.
struct RunningPipeline {
  let pipeline: Pipeline
  let streams: [ClientSubscription]
}
