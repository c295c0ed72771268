internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The metrics in Prometheus' text format.
///
/// No label names a client. If there are very many names, some are left out and counted. It is gathered
/// over as many turns as that takes.
final class MetricsPage {
  private let engine: Engine
  private let gate: Gate
  /// The names whose metrics are not gathered yet.
  private var rest: ArraySlice<String>
  private var lines: [String: [String]] = [:]
  private var count = 0
  private var leftOut = 0

  /// How many lines there may be about names.
  static let most = 20_000

  init(_ engine: Engine, for gate: Gate) {
    self.engine = engine
    self.gate = gate
    rest = engine.registry.names.filter(gate.measures)[...]
    if gate.seesServer { add(Measured(engine, for: gate).ofServer) }
    count = 0
  }

  /// Gathers what is told of names, one after the other, as long as `goesOn` is true; says whether it is
  /// all there.
  func addMore(while goesOn: () -> Bool) -> Bool {
    // Anew in each turn: streams that it looked up may have gone since.
    let measured = Measured(engine, for: gate)
    while count < Self.most, let name = rest.popFirst() {
      add(measured.of(name))
      guard rest.isEmpty || goesOn() else { return false }
    }
    let services = engine.services.sorted.filter { gate.measures($0.name) }
    if count < Self.most {
      for service in services { add(measured.of(service)) }
    } else {
      leftOut = rest.count + services.count
    }
    return true
  }

  var text: String {
    var text = ""
    for metric in engine.metrics {
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

  private func add(_ new: [MetricLine]) {
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

  /// The line for Prometheus, with its escapes.
  fileprivate var exposition: String {
    let texts = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
    let braces = texts.isEmpty ? "" : "{\(texts.joined(separator: ","))}"
    return "\(name)\(braces) \(value)\n"
  }
}
