internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The table of metrics as Prometheus reads it, with those of each name.
///
/// There is never a label for a client. Of very many names some are left out, which is counted.
struct MetricsPage {
  private let engine: Engine
  private let gate: Gate
  /// The lines of each metric, by its name.
  private var lines: [String: [String]] = [:]
  private var count = 0
  private var leftOut = 0

  /// The most lines that are told of names.
  static let most = 20_000

  init(_ engine: Engine, for gate: Gate) {
    self.engine = engine
    self.gate = gate
    let measured = Measured(engine, for: gate)
    if gate.seesServer { add(measured.ofServer) }
    count = 0
    addNames(measured)
  }

  /// All of it.
  var text: String {
    var text = ""
    for metric in Metric.all {
      guard let told = lines[metric.name] else { continue }
      head(metric, &text)
      for line in told { text += line }
    }
    head(Self.leftOut, &text)
    return text + "\(Self.leftOut.name) \(leftOut)\n"
  }

  private static let leftOut = Metric.gauge(
    "flow_metrics_left_out",
    "names of which no metrics are told here, since there are too many"
  )

  private func head(_ metric: Metric, _ text: inout String) {
    text += "# HELP \(metric.name) \(metric.help)\n"
    text += "# TYPE \(metric.name) \(metric.kind.rawValue)\n"
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

  private mutating func add(_ new: [MetricLine]) {
    count += new.count
    for line in new { lines[line.metric.name, default: []].append(line.row.exposition) }
  }
}

extension MetricRow {
  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x22 || $0 == 0x0A }) else { return text }
    return text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("\n", with: "\\n")
  }

  /// The row as a line for Prometheus, with what that wants escaped in labels.
  fileprivate var exposition: String {
    let texts = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
    let braces = texts.isEmpty ? "" : "{\(texts.joined(separator: ","))}"
    return "\(name)\(braces) \(value)\n"
  }
}
