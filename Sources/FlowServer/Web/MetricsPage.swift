internal import FlowLanguage
internal import FlowSubjects

/// The table of metrics as Prometheus reads it, with those of each name.
///
/// There is never a label for a client. Of very many names some are left out, which is counted.
struct MetricsPage {
  private let engine: Engine
  private let access: Access
  /// The lines of each metric, by its place in the table.
  private var lines: [[String]]
  private var count = 0
  private var leftOut = 0

  /// The most lines that are told of names.
  static let most = 20_000

  init(_ engine: Engine, for access: Access) {
    self.engine = engine
    self.access = access
    lines = Array(repeating: [], count: MetricTable.all.count)
    let measured = Measured(engine)
    if access.allows(.administer) { add(measured.ofServer) }
    count = 0
    addNames(measured)
  }

  /// All of it.
  var text: String {
    var text = ""
    for (metric, lines) in zip(MetricTable.all, lines) where !lines.isEmpty {
      head(metric.name, metric.kind, metric.help, &text)
      for line in lines { text += line }
    }
    head("flow_metrics_left_out", .gauge, Self.leftOutHelp, &text)
    return text + "flow_metrics_left_out \(leftOut)\n"
  }

  private static let leftOutHelp =
    "names of which no metrics are told here, since there are too many"

  private func head(_ name: String, _ kind: Metric.Kind, _ help: String, _ text: inout String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  private mutating func addNames(_ measured: Measured) {
    let names = engine.registry.names.filter(access.shows)
    let services = engine.services.sorted.filter { access.shows($0.name) }
    for (told, name) in names.enumerated() {
      add(measured.of(name))
      guard count < Self.most else {
        leftOut = names.count - told - 1 + services.count
        return
      }
    }
    for service in services { add(measured.of(service)) }
  }

  private mutating func add(_ all: [[Metric.Sample]]) {
    for (place, samples) in all.enumerated() where !samples.isEmpty {
      count += samples.count
      let name = MetricTable.all[place].name
      for sample in samples {
        lines[place].append("\(name)\(sample.suffix)\(sample.exposition) \(sample.valueText)\n")
      }
    }
  }
}

/// What metrics read, looked up once for all names.
private struct Measured {
  private let engine: Engine
  private let streams: [ObjectIdentifier: [ClientSubscription]]

  init(_ engine: Engine) {
    self.engine = engine
    streams = Dictionary(
      grouping: engine.streams.filter { $0.running != nil },
      by: { stream in
        stream.running.map { ObjectIdentifier($0.pipeline) } ?? ObjectIdentifier(stream)
      }
    )
  }

  var ofServer: [[Metric.Sample]] {
    MetricTable.all.map { if case .server(let read) = $0.reading { read(engine) } else { [] } }
  }

  func of(_ service: Service) -> [[Metric.Sample]] {
    MetricTable.all.map { if case .service(let read) = $0.reading { read(service) } else { [] } }
  }

  func of(_ name: String) -> [[Metric.Sample]] {
    guard let entry = engine.registry[name] else { return [] }
    var running: RunningPipeline?
    var stages: [MeasuredStage] = []
    switch entry {
    case .subject: break
    case .pipeline(let pipeline):
      let streams = streams[ObjectIdentifier(pipeline)] ?? []
      running = RunningPipeline(name: name, pipeline: pipeline, streams: streams)
      stages = engine.stages(of: pipeline, named: name, streams.compactMap(\.running?.counters))
    case .run(let run):
      stages = engine.stages(of: run.standing.pipeline, named: name, [run.counters])
    }
    let seen = engine.watch.names[name]
    return MetricTable.all.map { metric in
      switch (metric.reading, entry) {
      case (.subject(let read), .subject(let subject)): read(subject)
      case (.pipeline(let read), _): running.map(read) ?? []
      case (.run(let read), .run(let run)): read(run)
      case (.stage(let read), _): stages.flatMap(read)
      case (.watched(let read), _): seen.map(read) ?? []
      default: []
      }
    }
  }
}

extension Metric.Sample {
  /// The labels in braces, with what Prometheus wants escaped.
  fileprivate var exposition: String {
    guard !labels.isEmpty else { return "" }
    let texts = labels.map { label in
      let value = label.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("\n", with: "\\n")
      return "\(label.name)=\"\(value)\""
    }
    return "{\(texts.joined(separator: ","))}"
  }
}
