internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// What metrics read of a server; its streams are looked up once for all names, if there is need.
///
/// The numbers of each are in the order of the table, none for a metric of something else.
final class Measured {
  private let engine: Engine
  private let gate: Gate
  private lazy var streams = engine.streamsByPipeline

  init(_ engine: Engine, for gate: Gate) {
    self.engine = engine
    self.gate = gate
  }

  var ofServer: [[Metric.Sample]] {
    MetricTable.all.map {
      if case .server(let read) = $0.reading { read(engine).filter(gate.knows) } else { [] }
    }
  }

  func of(_ service: Service) -> [[Metric.Sample]] {
    MetricTable.all.map { if case .service(let read) = $0.reading { read(service) } else { [] } }
  }

  /// The samples of what `name` defines, without those of its inside if that is hidden.
  func of(_ name: String) -> [[Metric.Sample]] {
    guard let entry = engine.registry[name] else { return MetricTable.all.map { _ in [] } }
    var running: RunningPipeline?
    var stages: [MeasuredStage] = []
    var figures: SubjectFigures?
    switch entry {
    case .subject(let subject): figures = engine.figures(of: subject)
    case .pipeline(let pipeline):
      let streams = streams[ObjectIdentifier(pipeline)] ?? []
      running = RunningPipeline(name: name, pipeline: pipeline, streams: streams)
      stages = engine.stages(of: pipeline, named: name, streams.compactMap(\.running?.counters))
    case .run(let run):
      stages = engine.stages(of: run.standing.pipeline, named: name, [run.counters])
    }
    let seen = engine.watch.names[name]
    let inside = gate.measuresInside(name)
    return MetricTable.all.map { metric in
      if metric.isInside, !inside { return [] }
      return switch (metric.reading, entry) {
      case (.subject(let read), _): figures.map(read) ?? []
      case (.arrivals(let read), .subject(let subject)) where subject.backend == nil:
        engine.watch.times(of: subject).map { read(name, $0) } ?? []
      case (.pipeline(let read), _): running.map(read) ?? []
      case (.run(let read), .run(let run)): read(run)
      case (.stage(let read), _): stages.flatMap(read)
      case (.watched(let read), _): seen.map(read) ?? []
      default: []
      }
    }
  }
}
