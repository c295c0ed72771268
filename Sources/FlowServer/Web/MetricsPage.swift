internal import FlowLanguage
internal import FlowSubjects

/// The table of metrics as Prometheus reads it, with those of each name.
///
/// There is never a label for a client. Of very many names some are left out, which is counted.
struct MetricsPage {
  private let engine: Engine
  private let gate: Gate
  /// The lines of each metric, by its place in the table.
  private var lines: [[String]]
  private var count = 0
  private var leftOut = 0

  /// The most lines that are told of names.
  static let most = 20_000

  init(_ engine: Engine, for gate: Gate) {
    self.engine = engine
    self.gate = gate
    lines = Array(repeating: [], count: MetricTable.all.count)
    let measured = Measured(engine, for: gate)
    if gate.seesServer { add(measured.ofServer) }
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
    let names = engine.registry.names.filter(gate.measures)
    let services = engine.services.sorted.filter { gate.measures($0.name) }
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

extension Metric.Sample {
  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x22 || $0 == 0x0A }) else { return text }
    return text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("\n", with: "\\n")
  }

  /// The labels in braces, with what Prometheus wants escaped.
  fileprivate var exposition: String {
    guard !labels.isEmpty else { return "" }
    var text = ""
    for label in labels {
      text += text.isEmpty ? "{" : ","
      text += "\(label.name)=\"\(Self.escaped(label.value))\""
    }
    return text + "}"
  }
}
