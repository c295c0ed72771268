internal import FlowWire

/// A metric: its name, kind and help text.
struct Metric: Sendable {
  enum Kind: String {
    case counter
    case gauge
    /// Counts values up to certain bounds; samples have the label `le`, or are `sum` or `count`.
    case histogram
  }

  let name: String
  let kind: Kind
  let help: String

  static func counter(_ name: String, _ help: String) -> Self {
    Self(name: name, kind: .counter, help: help)
  }

  static func gauge(_ name: String, _ help: String) -> Self {
    Self(name: name, kind: .gauge, help: help)
  }

  static func histogram(_ name: String, _ help: String) -> Self {
    Self(name: name, kind: .histogram, help: help)
  }

  /// All metrics, in the order of output.
  static let all: [Metric] =
    Figures.server.metrics + SubjectStores.metrics + Figures.subjects.metrics
    + Figures.pipelines.metrics + Figures.watched.metrics + Figures.runs.metrics
    + Figures.stages.metrics + Figures.services.metrics + Figures.process.metrics
}

enum Figures {}

/// One amount of a metric, with its labels.
struct Sample {
  typealias Label = (name: String, value: String)

  let amount: Amount
  let labels: [Label]
  /// Follows the metric's name in the parts of a histogram.
  let suffix: String

  init(_ amount: Amount, labels: [Label], suffix: String = "") {
    self.amount = amount
    self.labels = labels
    self.suffix = suffix
  }

  init(_ count: Int, _ labels: Label...) { self.init(.count(count), labels: labels) }
}

struct MetricLine {
  let metric: Metric
  let row: MetricRow

  init(_ metric: Metric, _ sample: Sample, _ labels: [Sample.Label]) {
    self.metric = metric
    row = MetricRow(
      metric.name + sample.suffix,
      labels + sample.labels,
      value: sample.amount.metricText
    )
  }
}
